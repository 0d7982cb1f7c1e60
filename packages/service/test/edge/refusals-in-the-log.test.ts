/**
 * A caller who quotes the id of a refused request can be helped: the log says who sent it, and why it was
 * refused.
 */
import { expect, test } from 'vitest';
import { ALLOWED, ask, check } from '../ask.ts';
import { startTestService } from '../start-service.ts';

test('at info a refused check or outcome has a line with its workspace, key, code and request id, and others have none', async () => {
  const service = await startTestService({ settings: { logLevel: 'info', ratePerKey: '1000' } });
  const linesOf = (id: string) =>
    service
      .logged()
      .split('\n')
      .filter((line) => line.includes(`"requestId":"${id}"`))
      .map((line) => JSON.parse(line));
  const send = (id: string, intent: unknown, key = service.liveKey, headers = {}) =>
    check(service, intent, { key, headers: { 'x-request-id': id, ...headers } });
  const allowed = await send('allowed', ALLOWED);
  const report = (id: string, result: string) =>
    ask(`${service.url}/v1/decisions/${allowed.body.decision_id}/outcome`, {
      key: service.liveKey,
      json: { result },
      headers: { 'x-request-id': id },
    });
  expect((await report('reported', 'done')).status).toBe(200);
  expect((await report('other-result', 'failed')).status).toBe(409);
  await send('invalid', { ...ALLOWED, system: 7 });
  await send('media', ALLOWED, service.liveKey, { 'content-type': 'text/plain' });
  await send('owner', ALLOWED, service.ownerKey);
  await send('nobody', ALLOWED, 'wck_live_nobody');
  const made = await ask(`${service.url}/v1/keys`, {
    key: service.ownerKey,
    json: { kind: 'live', name: 'leaked' },
  });
  await ask(`${service.url}/v1/keys/${made.body.key.id}`, { key: service.ownerKey, method: 'DELETE' });
  await send('revoked', ALLOWED, made.body.secret);
  const missing = await ask(`${service.url}/v1/decisions/dec_${'0'.repeat(32)}`, {
    key: service.liveKey,
    headers: { 'x-request-id': 'missing' },
  });
  expect(missing.status).toBe(404);
  const { keys } = (await ask(`${service.url}/v1/keys`, { key: service.ownerKey })).body;
  const idOf = (kind: string) => keys.find((key: { kind: string }) => key.kind === kind).id;
  await service.stop();
  expect([...linesOf('allowed'), ...linesOf('reported')]).toEqual([]);
  const known = { level: 'info', msg: 'refused', workspace: service.workspace };
  expect(linesOf('invalid')).toMatchObject([
    { ...known, code: 'invalid_intent', status: 422, actor: idOf('live') },
  ]);
  expect(linesOf('media')).toMatchObject([{ ...known, code: 'unsupported_media_type', actor: idOf('live') }]);
  expect(linesOf('owner')).toMatchObject([{ ...known, code: 'insufficient_scope', actor: idOf('owner') }]);
  expect(linesOf('missing')).toMatchObject([{ ...known, code: 'not_found', actor: idOf('live') }]);
  expect(linesOf('revoked')).toMatchObject([{ ...known, code: 'key_revoked', actor: made.body.key.id }]);
  expect(linesOf('other-result')).toMatchObject([
    { ...known, code: 'outcome_recorded', status: 409, actor: idOf('live') },
  ]);
  const [nobody, ...more] = linesOf('nobody');
  expect(nobody).toMatchObject({ msg: 'refused', code: 'invalid_key', status: 401 });
  expect(nobody).not.toHaveProperty('actor');
  expect(more).toEqual([]);
});

test('at debug a check has a line that says who sent it', async () => {
  const service = await startTestService({ settings: { logLevel: 'debug' } });
  await check(service, ALLOWED, { key: service.liveKey, headers: { 'x-request-id': 'watched' } });
  await service.stop();
  const [line] = service
    .logged()
    .split('\n')
    .filter((each) => each.includes('"requestId":"watched"'))
    .map((each) => JSON.parse(each));
  expect(line).toMatchObject({ level: 'debug', msg: 'answered', status: 200, workspace: service.workspace });
  expect(line.actor).toMatch(/^key_/);
});
