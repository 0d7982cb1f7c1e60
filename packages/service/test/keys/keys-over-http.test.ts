import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../store/test/store-contract/store-contract-values.ts';
import { kindOfSecret } from '../../src/features/keys/key-format.ts';
import { ALLOWED, ask, check, PAUSED, signUp } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

let service: TestService;
let nowMs = Date.UTC(2026, 10, 15, 12);
beforeAll(async () => {
  service = await startTestService({ clock: () => nowMs });
});
afterAll(() => service.stop());

const make = (json: object, key = service.ownerKey) => ask(`${service.url}/v1/keys`, { key, json });
const list = async (key = service.ownerKey) => (await ask(`${service.url}/v1/keys`, { key })).body.keys;
const revoke = (id: string, key = service.ownerKey) =>
  ask(`${service.url}/v1/keys/${id}`, { method: 'DELETE', key });
const rotate = (id: string, json: unknown, key = service.ownerKey) =>
  ask(`${service.url}/v1/keys/${id}/rotate`, {
    key,
    ...(json === undefined ? { method: 'POST' } : { json }),
  });

describe('keys', () => {
  test('a workspace is created without a key, and its two secrets work', async () => {
    const made = await signUp(service, 'Käse & Co');
    expect(made.workspace.name).toBe('Käse & Co');
    expect(made.workspace.id).toMatch(/^ws_[0-9a-f]{32}$/);
    expect([kindOfSecret(made.ownerKey), kindOfSecret(made.developmentKey)]).toEqual([
      'owner',
      'development',
    ]);
    expect((await check(service, ALLOWED, { key: made.developmentKey })).body.decision).toBe('allow');
    expect(await list(made.ownerKey)).toHaveLength(2);
  });

  test('renaming follows the rules of a new name, and changes no other workspace', async () => {
    const [mine, theirs] = [await signUp(service, 'mine'), await signUp(service, 'theirs')];
    const rename = (json: unknown, key = mine.ownerKey) =>
      ask(`${service.url}/v1/workspace`, { method: 'PATCH', key, json });
    const read = async (key: string) => (await ask(`${service.url}/v1/workspace`, { key })).body;
    for (const json of [
      {},
      { name: '' },
      { name: 'x'.repeat(257) },
      { name: mine.ownerKey },
      { name: 'x', id: 'y' },
    ]) {
      const { status, body } = await rename(json);
      expect([status, body.error.code]).toEqual([422, 'invalid_request']);
    }
    expect((await rename({ name: 'x' }, mine.developmentKey)).status).toBe(403);
    expect((await read(mine.ownerKey)).workspace.name).toBe('mine');
    expect((await rename({ name: 'ours' })).body).toEqual({
      workspace: { id: mine.workspace.id, name: 'ours' },
    });
    expect((await read(mine.ownerKey)).workspace.name).toBe('ours');
    expect(await read(theirs.ownerKey)).toMatchObject({ workspace: { name: 'theirs' }, renames: [] });
    // A checking key never learns who exists.
    expect(await read(mine.developmentKey)).not.toHaveProperty('renames');
  });

  test('a new key has all its members; its secret is shown once and only its hint afterwards', async () => {
    const expiresAt = '2027-01-31T12:00:00.000Z';
    const { status, body } = await make({ kind: 'live', name: 'ap-bot', expiresAt, allowedSystems: ['erp'] });
    expect(status).toBe(201);
    expect(body.key).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{32}$/),
      kind: 'live',
      name: 'ap-bot',
      hint: `wck_live_${body.secret.slice(-4)}`,
      createdAt: new Date(nowMs).toISOString(),
      expiresAt,
      lastUsedAt: null,
      revokedAt: null,
      rotatedAt: null,
      allowedSystems: ['erp'],
      allowedWorkflows: null,
      heldBy: null,
      madeBy: null,
    });
    const listed = await ask(`${service.url}/v1/keys`, { key: service.ownerKey });
    expect(listed.text).not.toContain(body.secret);
    expect(listed.body.keys).toContainEqual(body.key);
  });

  test('the last use of a key is listed', async () => {
    const { body } = await make({ kind: 'development', name: 'used' });
    await check(service, PAUSED, { key: body.secret });
    const listed = (await list()).find((key: { id: string }) => key.id === body.key.id);
    expect(listed.lastUsedAt).toBe(new Date(nowMs).toISOString());
  });

  test('a revoked key is refused immediately, and revoking twice is not an error', async () => {
    const { body } = await make({ kind: 'development', name: 'gone' });
    expect((await check(service, PAUSED, { key: body.secret })).status).toBe(200);
    expect((await revoke(body.key.id)).status).toBe(204);
    expect((await check(service, PAUSED, { key: body.secret })).body.error.code).toBe('key_revoked');
    expect((await revoke(body.key.id)).status).toBe(204);
  });

  test('a key revoked by another process is refused within a second', async () => {
    const { body } = await make({ kind: 'development', name: 'elsewhere' });
    expect((await check(service, PAUSED, { key: body.secret })).status).toBe(200);
    // Directly in the store, as another process would do it.
    await service.store.revokeKey(service.workspace, body.key.id, nowMs, COMMAND_LINE);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await check(service, PAUSED, { key: body.secret })).body.error.code).toBe('key_revoked');
  });

  test('a rotated key keeps working for its grace time and no longer', async () => {
    const { body: old } = await make({ kind: 'live', name: 'r', allowedSystems: ['crm'] });
    const { status, body } = await rotate(old.key.id, { graceSeconds: 60 });
    expect(status).toBe(201);
    expect(body.key).toMatchObject({ kind: 'live', name: 'r', allowedSystems: ['crm'], expiresAt: null });
    expect(body.key.id).not.toBe(old.key.id);
    nowMs += 59_000;
    expect((await check(service, PAUSED, { key: old.secret })).status).toBe(200);
    nowMs += 1_000;
    expect((await check(service, PAUSED, { key: old.secret })).body.error.code).toBe('key_expired');
    expect((await check(service, PAUSED, { key: body.secret })).status).toBe(200);
  });

  test('of 20 concurrent rotations of one key, one gets a key, with the expiry of the old one', async () => {
    const expiresAt = new Date(nowMs + 30 * 86_400_000).toISOString();
    const { body: old } = await make({ kind: 'live', name: 'raced', expiresAt });
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => rotate(old.key.id, { graceSeconds: 2 })),
    );
    const [good, ...more] = replies.filter(({ status }) => status === 201);
    expect(more).toEqual([]);
    expect(good!.body.key).toMatchObject({ name: 'raced', expiresAt, rotatedAt: null });
    const rest = replies.filter(({ status }) => status !== 201);
    expect(new Set(rest.map(({ status, body }) => `${status} ${body.error.code}`))).toEqual(
      new Set(['409 key_not_active']),
    );
    const listed = (await list()).find((key: { id: string }) => key.id === old.key.id);
    expect(listed).toMatchObject({
      rotatedAt: new Date(nowMs).toISOString(),
      expiresAt: new Date(nowMs + 2_000).toISOString(),
    });
    nowMs += 2_500;
    expect((await check(service, PAUSED, { key: good!.body.secret })).status).toBe(200);
  });

  test('an expired or revoked key is not rotated, and one of another workspace does not exist', async () => {
    const expiresAt = new Date(nowMs + 1_000).toISOString();
    const { body: short } = await make({ kind: 'live', name: 'short', expiresAt });
    const { body: gone } = await make({ kind: 'live', name: 'gone' });
    await revoke(gone.key.id);
    nowMs += 1_000;
    for (const { key } of [short, gone]) {
      const { status, body } = await rotate(key.id, {});
      expect([status, body.error.code]).toEqual([409, 'key_not_active']);
    }
    const stranger = await signUp(service);
    for (const id of [short.key.id, gone.key.id, 'key_none'])
      expect((await rotate(id, {}, stranger.ownerKey)).status).toBe(404);
  });

  test('the grace time is an hour for checking keys and none for owner keys, also without a body', async () => {
    const { body: checking } = await make({ kind: 'development', name: 'c' });
    expect((await rotate(checking.key.id, undefined)).status).toBe(201);
    const listed = (await list()).find((key: { id: string }) => key.id === checking.key.id);
    expect(listed.expiresAt).toBe(new Date(nowMs + 3_600_000).toISOString());
    const { body: owner } = await make({ kind: 'owner', name: 'o' });
    const rotated = await rotate(owner.key.id, {});
    expect(rotated.status).toBe(201);
    expect((await ask(`${service.url}/v1/usage`, { key: owner.secret })).body.error.code).toBe('key_expired');
    expect((await ask(`${service.url}/v1/usage`, { key: rotated.body.secret })).status).toBe(200);
  });

  test('an owner key that never expires remains, however many are revoked concurrently', async () => {
    const made = await signUp(service);
    const others = await Promise.all(
      [1, 2, 3, 4].map(() => make({ kind: 'owner', name: 'o' }, made.ownerKey)),
    );
    await make({ kind: 'owner', name: 'expires', expiresAt: '2027-01-01T00:00:00Z' }, made.ownerKey);
    const keys = [made.ownerKey, ...others.map(({ body }) => body.secret)];
    const ids = (await list(made.ownerKey))
      .filter(
        (key: { kind: string; expiresAt: null | string }) => key.kind === 'owner' && key.expiresAt === null,
      )
      .map((key: { id: string }) => key.id);
    expect(ids).toHaveLength(5);
    const replies = await Promise.all(ids.map((id: string, at: number) => revoke(id, keys[at])));
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 204, 204, 204, 409]);
  });

  test('no more than 100 unrevoked keys', async () => {
    const made = await signUp(service);
    const replies = await Promise.all(
      Array.from({ length: 101 }, (_, at) => make({ kind: 'development', name: `k${at}` }, made.ownerKey)),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(98);
    expect(replies.find(({ status }) => status === 403)?.body.error.code).toBe('plan_limit');
  });

  test('an invalid request for a key lists all its errors', async () => {
    const { status, body } = await make({
      kind: 'root',
      nam: 'x',
      expiresAt: 'tomorrow',
      allowedSystems: [],
    });
    expect(status).toBe(422);
    const pointers = body.error.details.map(({ pointer }: { pointer: string }) => pointer);
    expect(pointers.sort()).toEqual(['/allowedSystems', '/expiresAt', '/kind', '/nam', '/name']);
    const past = await make({ kind: 'live', name: 'x', expiresAt: new Date(nowMs).toISOString() });
    expect(past.body.error.details).toEqual([
      { pointer: '/expiresAt', message: '`expiresAt` must be in the future' },
    ]);
    expect((await make({ kind: 'owner', name: 'x', allowedSystems: ['a'] })).status).toBe(422);
    for (const graceSeconds of [-1, 1.5, '60', 1e9]) {
      expect((await rotate('key_x', { graceSeconds })).status).toBe(422);
    }
  });

  test('a checking key cannot manage anything, and an owner key cannot check', async () => {
    for (const key of [service.developmentKey, service.liveKey]) {
      for (const reply of [
        await make({ kind: 'owner', name: 'x' }, key),
        await ask(`${service.url}/v1/keys`, { key }),
        await revoke('key_x', key),
        await rotate('key_x', {}, key),
        await ask(`${service.url}/v1/policies`, { method: 'PUT', key, json: { documents: [] } }),
        await ask(`${service.url}/v1/policies`, { key }),
        await ask(`${service.url}/v1/policies/revisions`, { key }),
        await ask(`${service.url}/v1/policies/rollback`, { key, json: { revision: 1 } }),
        await ask(`${service.url}/v1/evidence/revocations`, { key, json: { source: 's', jti: 'j' } }),
      ]) {
        expect([reply.status, reply.body.error.code]).toEqual([403, 'insufficient_scope']);
        expect(reply.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
      }
    }
    expect((await check(service, ALLOWED, { key: service.ownerKey })).status).toBe(403);
  });

  test('a key with allowed systems and workflows may use only these', async () => {
    const { body } = await make({
      kind: 'live',
      name: 's',
      allowedSystems: ['crm'],
      allowedWorkflows: ['w1'],
    });
    const status = async (intent: object) => (await check(service, intent, { key: body.secret })).status;
    expect(await status({ ...ALLOWED, workflowId: 'w1' })).toBe(200);
    expect(await status({ ...ALLOWED, workflowId: 'w2' })).toBe(403);
    expect(await status(ALLOWED)).toBe(403);
    expect(await status({ ...ALLOWED, system: 'CRM', workflowId: 'w1' })).toBe(403);
  });
});
