/** Sessions over the wire, on both stores: how long they hold, and how soon they end in every process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSecret } from '../../src/features/keys/key-format.ts';
import { IDLE_MS, SESSION_MS } from '../../src/features/people/sessions.ts';
import { ask, check, PAUSED } from '../ask.ts';
import { knownWithin } from '../known-within.ts';
import { newEmail, newMember } from '../member-kit.ts';
import { onBothStores, type ReviewKit } from '../reviews/reviews-kit.ts';
import { startTestService, type TestService } from '../start-service.ts';

onBothStores((kitNow) => {
  const me = (key: string) => kitNow().call('GET', '/v1/me', key);
  const codeOf = async (reply: ReturnType<ReviewKit['call']>) => {
    const { status, body } = await reply;
    return [status, body?.error?.code];
  };
  const member = (...roles: readonly string[]) => newMember(kitNow().service, roles, kitNow().nowMs);

  test('shows who is signed in, that an owner key is nobody, and nothing to a checking key', async () => {
    const { service, nowMs } = kitNow();
    const person = await member('auditor');
    const { body } = await me(person.token);
    expect(body).toMatchObject({
      person: {
        id: person.id,
        email: person.email,
        roles: ['auditor'],
        state: 'active',
        signIn: ['passkey'],
      },
      workspace: { id: service.workspace },
      session: { expiresAt: new Date(nowMs + SESSION_MS).toISOString() },
    });
    expect(Object.keys(body)).toEqual(['person', 'workspace', 'session']);
    const byKey = (await me(service.ownerKey)).body;
    expect(byKey).toEqual({ person: null, workspace: body.workspace, session: null });
    expect(await codeOf(me(service.developmentKey))).toEqual([403, 'insufficient_scope']);
    expect(await codeOf(me(service.liveKey))).toEqual([403, 'insufficient_scope']);
  });

  test('ends after 30 idle minutes, and after 8 hours however busy', async () => {
    const kit = kitNow();
    const [idle, busy] = [await member('auditor'), await member('auditor')];
    const endMs = kit.nowMs + SESSION_MS;
    kit.nowMs += IDLE_MS - 1;
    expect((await me(busy.token)).status).toBe(200);
    kit.nowMs += 1;
    expect(await codeOf(me(idle.token))).toEqual([401, 'key_expired']);
    while (kit.nowMs + IDLE_MS - 1 < endMs) {
      expect((await me(busy.token)).status).toBe(200);
      kit.nowMs += IDLE_MS - 1;
    }
    expect((await me(busy.token)).status).toBe(200);
    kit.nowMs = endMs;
    expect(await codeOf(me(busy.token))).toEqual([401, 'key_expired']);
    const { people } = (await kit.call('GET', '/v1/people', kit.service.ownerKey)).body;
    const shown = people.find(({ id }: { id: string }) => id === busy.id);
    expect(Date.parse(shown.lastSeenAt)).toBeGreaterThan(endMs - IDLE_MS);
  });

  test('ends when its person signs out, and no other session with it', async () => {
    const kit = kitNow();
    const person = await member('owner');
    const other = await member('owner');
    const out = (key: string) => kit.call('DELETE', '/v1/sessions/current', key);
    expect((await out(person.token)).status).toBe(204);
    expect(await codeOf(me(person.token))).toEqual([401, 'key_revoked']);
    expect(await codeOf(out(person.token))).toEqual([401, 'key_revoked']);
    expect((await me(other.token)).status).toBe(200);
    for (const key of [kit.service.ownerKey, kit.service.developmentKey]) {
      expect(await codeOf(out(key))).toEqual([403, 'insufficient_scope']);
    }
  });

  test('that was never created, or is mistyped, or an invitation, is not a key', async () => {
    const { token } = await member('owner');
    const swapped = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
    for (const wrong of [createSecret('session'), swapped, createSecret('invitation')]) {
      const reply = await me(wrong);
      expect([reply.status, reply.body.error.code]).toEqual([401, 'invalid_key']);
      expect(reply.headers.get('www-authenticate')).toContain('Bearer');
    }
  });

  test('cannot check, redeem or sign in as a key does', async () => {
    const { service } = kitNow();
    const { token } = await member('owner');
    const reply = await check(service, PAUSED, { key: token });
    expect([reply.status, reply.body.error.code]).toEqual([403, 'insufficient_scope']);
    expect(service.logged()).not.toContain(token);
  });

  test('carries the current roles', async () => {
    const { service, call } = kitNow();
    const person = await member('auditor');
    expect((await call('GET', '/v1/keys', person.token)).status).toBe(200);
    const wish = { kind: 'development', name: 'x' };
    expect(await codeOf(call('POST', '/v1/keys', person.token, wish))).toEqual([403, 'insufficient_scope']);
    await call('PATCH', `/v1/people/${person.id}`, service.ownerKey, { roles: ['owner'] });
    expect((await call('POST', '/v1/keys', person.token, wish)).status).toBe(201);
    await call('PATCH', `/v1/people/${person.id}`, service.ownerKey, { roles: ['reviewer'] });
    expect(await codeOf(call('GET', '/v1/keys', person.token))).toEqual([403, 'insufficient_scope']);
  });
});

async function untilCode(service: TestService, token: string, path: string): Promise<string> {
  const { body } = await knownWithin(
    1_000,
    () => ask(service.url + path, { key: token }),
    (reply) => reply.body.error !== undefined,
  );
  return body.error.code;
}

test('two processes on one store: a session ended in one is refused by the other within a second; one address, one change', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-two-'));
  const one = await startTestService({ folder });
  const two = await startTestService({ folder });
  const both = [one, two];
  const send = (service: TestService, method: string, path: string, key: string, json?: object) =>
    ask(service.url + path, { method, key, ...(json && { json }) });
  const member = async (...roles: readonly string[]) => {
    const made = await newMember(one, roles, Date.now());
    for (const { url } of both) expect((await ask(`${url}/v1/keys`, { key: made.token })).status).toBe(200);
    return made;
  };

  const disabled = await member('owner');
  await send(one, 'DELETE', `/v1/people/${disabled.id}`, one.ownerKey);
  const tooLate = await send(two, 'POST', '/v1/keys', disabled.token, { kind: 'owner', name: 'back door' });
  expect(tooLate.body.error.code).toBe('key_revoked');
  expect(await untilCode(two, disabled.token, '/v1/keys')).toBe('key_revoked');
  const reset = await member('owner');
  await send(one, 'POST', `/v1/people/${reset.id}/invitation`, one.ownerKey);
  expect(await untilCode(two, reset.token, '/v1/keys')).toBe('key_revoked');
  const changed = await member('owner');
  await send(one, 'PATCH', `/v1/people/${changed.id}`, one.ownerKey, { roles: ['reviewer'] });
  // A change is judged by the roles of this very moment.
  const wanted = { kind: 'owner', name: 'back door' };
  expect((await send(two, 'POST', '/v1/keys', changed.token, wanted)).body.error.code).toBe(
    'insufficient_scope',
  );
  expect(await untilCode(two, changed.token, '/v1/keys')).toBe('insufficient_scope');
  const gone = await member('owner');
  await send(two, 'DELETE', '/v1/sessions/current', gone.token);
  expect(await untilCode(one, gone.token, '/v1/keys')).toBe('key_revoked');

  const wish = { name: 'x', email: newEmail(), roles: ['owner'] };
  const made = await Promise.all(
    [...both, ...both].map((each) => send(each, 'POST', '/v1/people', one.ownerKey, wish)),
  );
  expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);

  for (let round = 0; round < 8; round += 1) {
    const { id, token } = await newMember(one, ['owner'], Date.now());
    const [patched, ended] = await Promise.all([
      send(two, 'PATCH', `/v1/people/${id}`, one.ownerKey, { roles: ['auditor'] }),
      send(one, 'DELETE', `/v1/people/${id}`, one.ownerKey),
    ]);
    expect([patched.status, ended.status]).toEqual([200, 204]);
    const [person] = await one.store.findPeople(one.workspace, [id]);
    expect(person).toMatchObject({ state: 'disabled', roles: ['auditor'], version: 4, epoch: 2 });
    expect(await untilCode(two, token, '/v1/me')).toBe('key_revoked');
  }
  await one.stop();
  await two.stop();
  rmSync(folder, { recursive: true, force: true });
});
