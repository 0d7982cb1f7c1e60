/** Redeeming over HTTP: once, by a key of the workspace, and only while everything the allow depends on still holds. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { parseEntry } from '@writecheck/ledger';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALLOWED, ask, check, PAUSED, signUp } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

let nowMs = Date.UTC(2026, 10, 15, 12);
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ clock: () => nowMs });
});
afterAll(() => service.stop());

interface Decided {
  readonly decision_id: string;
  readonly intentDigest: string;
}

const allowed = async (intent: unknown = ALLOWED): Promise<Decided> => {
  const { body } = await check(service, intent, { key: service.liveKey });
  expect(body.decision).toBe('allow');
  return body;
};

const redeem = (
  { decision_id, intentDigest }: Decided,
  { key = service.liveKey, headers = {}, json = { intentDigest } as unknown } = {},
) => ask(`${service.url}/v1/decisions/${decision_id}/redeem`, { key, headers, json });

const codeOf = async (reply: ReturnType<typeof redeem>): Promise<string> => {
  const { status, body } = await reply;
  return status === 200 ? 'redeemed' : body.error.code;
};

test('100 concurrent redeems give one success, and the log has one redemption', async () => {
  const decision = await allowed();
  const replies = await Promise.all(Array.from({ length: 100 }, () => redeem(decision)));
  const good = replies.filter(({ status }) => status === 200);
  expect(good).toHaveLength(1);
  expect(good[0]!.body).toEqual({ redeemed: true, redeemedAt: new Date(nowMs).toISOString() });
  const rest = replies.filter(({ status }) => status !== 200);
  expect(new Set(rest.map(({ status, body }) => `${status} ${body.error.code}`))).toEqual(
    new Set(['409 already_redeemed']),
  );
  const segments = await service.store.segments(service.store.log, 0, 1_000);
  const redemptions = segments
    .flatMap(({ entries }) => entries.map(({ leaf }) => parseEntry(leaf)))
    .filter((entry) => entry?.kind === 'redemption' && entry.decision_id === decision.decision_id);
  expect(redemptions).toHaveLength(1);
  expect(redemptions[0]).toMatchObject({ workspace: service.workspace, intentDigest: decision.intentDigest });
});

test('the same Idempotency-Key gets the same response again, also once the allow is over', async () => {
  const decision = await allowed();
  const headers = { 'idempotency-key': 'once' };
  const replies = await Promise.all(Array.from({ length: 10 }, () => redeem(decision, { headers })));
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  expect(replies[0]!.status).toBe(200);
  nowMs += 10 * 60_000;
  const again = await redeem(decision, { headers });
  expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([replies[0]!.text, 'true']);
  const replayed = replies.filter((reply) => reply.headers.get('idempotency-replayed') === 'true');
  expect(replayed).toHaveLength(9);
  for (const body of [
    JSON.stringify({ intentDigest: `sha256:${'0'.repeat(64)}` }),
    ` ${JSON.stringify({ intentDigest: decision.intentDigest })}`,
  ]) {
    const other = await ask(`${service.url}/v1/decisions/${decision.decision_id}/redeem`, {
      ...{ method: 'POST', key: service.liveKey, body },
      headers: { ...headers, 'content-type': 'application/json' },
    });
    expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_key_reused']);
  }
  expect(await codeOf(redeem(decision, { headers: { 'idempotency-key': 'other' } }))).toBe(
    'already_redeemed',
  );
  expect(await codeOf(redeem(decision, { headers: { 'idempotency-key': 'with space' } }))).toBe(
    'invalid_request',
  );
});

test('an Idempotency-Key belongs to one decision, also when 20 are redeemed concurrently', async () => {
  const decisions = await Promise.all(Array.from({ length: 20 }, () => allowed()));
  const headers = { 'idempotency-key': 'one-write' };
  const codes = await Promise.all(decisions.map((decision) => codeOf(redeem(decision, { headers }))));
  expect(codes.filter((code) => code === 'redeemed')).toHaveLength(1);
  expect(codes.filter((code) => code === 'idempotency_key_reused')).toHaveLength(19);
  const loser = decisions[codes.indexOf('idempotency_key_reused')]!;
  const refused = await redeem(loser, { headers });
  expect([refused.status, refused.body.error.code]).toEqual([422, 'idempotency_key_reused']);
  // The failed attempt did not use it up.
  expect(await codeOf(redeem(loser, { headers: { 'idempotency-key': 'another-write' } }))).toBe('redeemed');
});

test('an Idempotency-Key of a check is separate from one of a redemption', async () => {
  const key = service.liveKey;
  const checking = { 'idempotency-key': 'used-to-check' };
  const { body } = await check(service, ALLOWED, { key, headers: checking });
  expect(await codeOf(redeem(body, { headers: checking }))).toBe('idempotency_key_reused');
  const redeeming = { 'idempotency-key': 'used-to-redeem' };
  expect(await codeOf(redeem(body, { headers: redeeming }))).toBe('redeemed');
  const { status, body: refused } = await check(service, ALLOWED, { key, headers: redeeming });
  expect([status, refused.error.code]).toEqual([422, 'idempotency_key_reused']);
});

test('a development key redeems decisions of development keys, and no others', async () => {
  const key = service.developmentKey;
  const live = await allowed();
  const refused = await redeem(live, { key });
  expect([refused.status, refused.body.error.code]).toEqual([403, 'insufficient_scope']);
  expect(await codeOf(redeem(live))).toBe('redeemed');
  expect(await codeOf(redeem((await check(service, ALLOWED, { key })).body, { key }))).toBe('redeemed');
  expect(await codeOf(redeem((await check(service, ALLOWED, { key })).body))).toBe('redeemed');
});

test('a decision that is not an allow, is of another write, or is over cannot be redeemed', async () => {
  const paused = (await check(service, PAUSED, { key: service.liveKey })).body;
  expect(await codeOf(redeem(paused))).toBe('not_redeemable');
  const decision = await allowed();
  const intentDigest = `sha256:${'0'.repeat(64)}`;
  expect(await codeOf(redeem(decision, { json: { intentDigest } }))).toBe('not_redeemable');
  for (const json of [{}, { intentDigest: 5 }, { intentDigest: 'x' }, { ...decision }]) {
    expect(await codeOf(redeem(decision, { json }))).toBe('invalid_request');
  }
  const { validUntil } = decision as unknown as { validUntil: string };
  nowMs = Date.parse(validUntil) - 1;
  const last = await allowed();
  expect(await codeOf(redeem(decision))).toBe('redeemed');
  nowMs = Date.parse((last as unknown as { validUntil: string }).validUntil);
  expect(await codeOf(redeem(last))).toBe('not_redeemable');
});

test('a changed policy makes earlier allows unredeemable', async () => {
  const decision = await allowed();
  const documents = [{ kind: 'Profile', id: 'p', require: ['identity'] }];
  const applied = await ask(`${service.url}/v1/policies?confirmLoosening=true`, {
    ...{ method: 'PUT', key: service.ownerKey, json: { documents } },
  });
  expect(applied.status).toBe(200);
  expect(await codeOf(redeem(decision))).toBe('not_redeemable');
  expect(await codeOf(redeem(await allowed()))).toBe('redeemed');
});

test('any checking key of the workspace redeems, within its systems and workflows, and no other key', async () => {
  const decision = await allowed();
  const keyFor = async (limits: object): Promise<string> => {
    const made = await ask(`${service.url}/v1/keys`, {
      ...{ key: service.ownerKey, json: { kind: 'live', name: 'n', ...limits } },
    });
    return made.body.secret;
  };
  const codeWith = async (key: string) => codeOf(redeem(decision, { key }));
  expect(await codeWith(service.ownerKey)).toBe('insufficient_scope');
  expect(await codeWith(await keyFor({ allowedSystems: ['erp'] }))).toBe('insufficient_scope');
  expect(await codeWith(await keyFor({ allowedWorkflows: ['w'] }))).toBe('insufficient_scope');
  expect(await codeWith((await signUp(service)).developmentKey)).toBe('not_found');
  expect(await codeWith(await keyFor({ allowedSystems: ['crm'] }))).toBe('redeemed');
});

test('an allow whose evidence was revoked meanwhile cannot be redeemed', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1' };
  const documents = [
    { kind: 'ControlPack', id: 'c', controls: { approval: { assurance: 'attested', maxAge: '1h' } } },
    { kind: 'EvidenceSource', id: 'desk', keys: { keys: [jwk] } },
  ];
  const applied = await ask(`${service.url}/v1/policies?confirmLoosening=true`, {
    ...{ method: 'PUT', key: service.ownerKey, json: { documents } },
  });
  expect(applied.status, applied.text).toBe(200);
  const bare = { ...ALLOWED, requiredControls: ['approval'], controlEvidence: [] };
  const { intentDigest } = (await check(service, bare, { key: service.liveKey })).body;
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    ...{ aud: service.workspace, jti: 'j-1', controlId: 'approval', result: 'PASS', intentDigest },
    checkedAt: new Date(nowMs).toISOString(),
  };
  const signed = `${part({ alg: 'EdDSA', kid: 'k1', typ: 'writecheck-evidence+jws' })}.${part(claims)}`;
  const attestation = `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
  const item = { controlId: 'approval', source: 'desk', result: 'PASS', attestation };
  const decision = await allowed({ ...bare, controlEvidence: [item] });
  const other = await allowed({ ...bare, controlEvidence: [item] });
  expect(await codeOf(redeem(other))).toBe('redeemed');
  await ask(`${service.url}/v1/evidence/revocations`, {
    ...{ key: service.ownerKey, json: { source: 'desk', jti: 'j-1' } },
  });
  expect(await codeOf(redeem(decision))).toBe('not_redeemable');
});

test('a bundle that is rolled back and applied again is another revision', async () => {
  const other = await signUp(service, 'there and back');
  const asOwner = (path: string, method: string, json: unknown) =>
    ask(`${service.url}${path}`, { key: other.ownerKey, method, json });
  const put = (documents: readonly unknown[]) =>
    asOwner('/v1/policies', 'PUT', { documents, confirmLoosening: true });
  const A = [{ kind: 'Profile', id: 'a', require: ['identity'] }];
  expect((await put(A)).status).toBe(200);
  const headers = { 'idempotency-key': 'there-and-back' };
  const { body } = await check(service, ALLOWED, { key: other.developmentKey, headers });
  expect(body.decision).toBe('allow');
  const replay = () => check(service, ALLOWED, { key: other.developmentKey, headers });
  expect((await put(A)).body.revision).toBe(1);
  expect((await replay()).text).toBe(JSON.stringify(body));
  nowMs += 1_000;
  await put([]);
  nowMs += 1_000;
  const back = await asOwner('/v1/policies/rollback', 'POST', { revision: 1, confirmLoosening: true });
  expect(back.body.revision).toBe(3);
  expect((await replay()).body.error.code).toBe('idempotency_key_expired');
  expect(await codeOf(redeem(body, { key: other.developmentKey }))).toBe('not_redeemable');
  const anew = (await check(service, ALLOWED, { key: other.developmentKey })).body;
  expect(anew.profileProvenance.policyRef).toBe(body.profileProvenance.policyRef);
  expect(await codeOf(redeem(anew, { key: other.developmentKey }))).toBe('redeemed');
});

test('a store that does not respond is a 503 in time, not an endless wait', async () => {
  const stuck = await startTestService({
    throughStore: (store) => ({ ...store, redeem: () => new Promise(() => {}) }),
  });
  const { body } = await check(stuck, ALLOWED);
  const reply = await ask(`${stuck.url}/v1/decisions/${body.decision_id}/redeem`, {
    ...{ key: stuck.developmentKey, json: { intentDigest: body.intentDigest } },
  });
  expect([reply.status, reply.body.error.code]).toEqual([503, 'store_unavailable']);
  expect(reply.headers.has('retry-after')).toBe(true);
  await stuck.stop();
});
