import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@writecheck/store/port';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../../store/test/store-contract/store-contract-values.ts';
import { Authenticator, credentialOf, hashOfSecret } from './authenticate.ts';
import { type CreatedWorkspace, createWorkspace } from './create-workspace.ts';
import { createSecret } from './key-format.ts';
import { createKey, revokeKey } from './manage-keys.ts';

const NOW = Date.UTC(2026, 10, 15);
let store: Store;
let made: CreatedWorkspace;
let lookUps = 0;
beforeAll(async () => {
  store = await openSqliteStore(mkdtempSync(join(tmpdir(), 'writecheck-keys-')));
  made = await createWorkspace(store, 'w', NOW);
});
afterAll(() => store.close());

const change = () =>
  ({ store, plan: 'private', workspace: made.workspace.id, nowMs: NOW, by: COMMAND_LINE }) as const;

/** The real store, with its look-ups counted. */
function authenticator(): Authenticator {
  lookUps = 0;
  return new Authenticator(
    {
      findKey: (hash) => {
        lookUps += 1;
        return store.findKey(hash);
      },
      touchKeys: (uses) => store.touchKeys(uses),
    },
    () => NOW + 1_000,
  );
}

const codeOf = async (header: string | undefined, nowMs = NOW) => {
  const outcome = await authenticator().authenticate(credentialOf(header), nowMs, false);
  return outcome.kind === 'refused' ? outcome.code : outcome.actor.key.kind;
};

test('a bearer key is found by its hash, whatever the case of the scheme', async () => {
  expect(await codeOf(`Bearer ${made.ownerKey}`)).toBe('owner');
  expect(await codeOf(`bearer  ${made.developmentKey}`)).toBe('development');
});

test('no header, another scheme, or a scheme without a key is a missing key', async () => {
  for (const header of [undefined, '', 'Basic dXNlcjpwYXNz', made.ownerKey, 'Bearer', 'Bearer  '])
    expect(await codeOf(header)).toBe('missing_key');
});

test('anything else is an invalid key', async () => {
  for (const header of [
    'Bearer a b',
    `Bearer ${made.ownerKey} x`,
    `Bearer ${made.ownerKey},`,
    `Bearer ${createSecret('owner')}`,
    `Bearer ${hashOfSecret(made.ownerKey)}`,
  ]) {
    expect(await codeOf(header), header).toBe('invalid_key');
  }
});

test('a mistyped key is refused without a look-up', async () => {
  const keys = authenticator();
  const mistyped = `${made.ownerKey.slice(0, -1)}${made.ownerKey.endsWith('a') ? 'b' : 'a'}`;
  expect(await keys.authenticate(credentialOf(`Bearer ${mistyped}`), NOW, false)).toMatchObject({
    code: 'invalid_key',
  });
  expect(lookUps).toBe(0);
  await keys.authenticate(credentialOf(`Bearer ${createSecret('live')}`), NOW, false);
  expect(lookUps).toBe(1);
});

test('a key that was just read is not read again, and never trusted for long', async () => {
  const keys = authenticator();
  const header = `Bearer ${made.developmentKey}`;
  await keys.authenticate(credentialOf(header), NOW, false);
  expect(keys.authenticate(credentialOf(header), NOW, false)).not.toBeInstanceOf(Promise);
  expect(lookUps).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 550));
  await keys.authenticate(credentialOf(header), NOW, false);
  expect(lookUps).toBe(2);
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('a key is trusted for as long as the store is seen unchanged', async () => {
  const keys = authenticator();
  const header = `Bearer ${made.developmentKey}`;
  await keys.authenticate(credentialOf(header), NOW, false);
  for (let i = 0; i < 3; i += 1) {
    await pause(300);
    keys.unchanged(performance.now());
    expect(keys.authenticate(credentialOf(header), NOW, false)).not.toBeInstanceOf(Promise);
  }
  expect(lookUps).toBe(1);
  await pause(550);
  await keys.authenticate(credentialOf(header), NOW, false);
  expect(lookUps).toBe(2);
});

test('a read from before a change is not trusted after it, however late it ends', async () => {
  const before = await store.findKey(hashOfSecret(made.developmentKey));
  const reads: ((key: typeof before) => void)[] = [];
  const keys = new Authenticator(
    {
      findKey: () => new Promise((resolve) => reads.push(resolve)),
      touchKeys: async () => {},
    },
    () => NOW + 1_000,
  );
  const header = `Bearer ${made.developmentKey}`;
  const first = keys.authenticate(credentialOf(header), NOW, false);
  keys.forgetAll();
  keys.unchanged(performance.now());
  reads[0]!(before);
  await first;
  const second = keys.authenticate(credentialOf(header), NOW, false);
  expect(second).toBeInstanceOf(Promise);
  reads[1]!({ ...before!, revokedAtMs: NOW });
  expect(await second).toMatchObject({ code: 'key_revoked' });
});

test('a cached key still expires at its moment', async () => {
  const issued = await createKey(change(), { kind: 'live', name: 'x', expiresAtMs: NOW + 1_000 });
  if (issued.kind === 'refused') throw new Error(issued.message);
  const keys = authenticator();
  expect(await keys.authenticate(credentialOf(`Bearer ${issued.secret}`), NOW + 999, false)).toMatchObject({
    kind: 'actor',
  });
  expect(await keys.authenticate(credentialOf(`Bearer ${issued.secret}`), NOW + 1_000, false)).toMatchObject({
    code: 'key_expired',
  });
});

test('a key revoked here is refused by the very next request', async () => {
  const issued = await createKey(change(), { kind: 'live', name: 'x' });
  if (issued.kind === 'refused') throw new Error(issued.message);
  const keys = authenticator();
  await keys.authenticate(credentialOf(`Bearer ${issued.secret}`), NOW, false);
  await revokeKey(change(), issued.key.id);
  keys.forgetAll();
  expect(await keys.authenticate(credentialOf(`Bearer ${issued.secret}`), NOW, false)).toMatchObject({
    code: 'key_revoked',
    message: expect.stringMatching(/was revoked; ask an owner of the workspace for a new one$/),
  });
});

test('if there are many last uses, those waiting longest are written first', async () => {
  const written: string[][] = [];
  const keys = new Authenticator(
    {
      findKey: (hash) => store.findKey(hash),
      touchKeys: async (uses) => void written.push(uses.map(({ keyId }) => keyId)),
    },
    () => NOW + 1_000,
  );
  const ids: string[] = [];
  for (const secret of [made.developmentKey, made.ownerKey, made.developmentKey]) {
    const known = await keys.authenticate(credentialOf(`Bearer ${secret}`), NOW, false);
    if (known.kind === 'actor') ids.push(known.actor.id);
  }
  await keys.flushUses(1);
  await keys.authenticate(credentialOf(`Bearer ${made.developmentKey}`), NOW, false);
  await keys.flushUses(1);
  await keys.flushUses();
  await keys.flushUses();
  expect(written).toEqual([[ids[0]], [ids[1]], [ids[0]]]);
});

test('last uses are written many at a time, and kept if writing fails', async () => {
  let isFailing = true;
  const keys = new Authenticator(
    {
      findKey: (hash) => store.findKey(hash),
      touchKeys: async (uses) => {
        if (isFailing) throw new Error('no');
        await store.touchKeys(uses);
      },
    },
    () => NOW + 1_000,
  );
  await keys.authenticate(credentialOf(`Bearer ${made.developmentKey}`), NOW + 7, false);
  await expect(keys.flushUses()).rejects.toThrow();
  isFailing = false;
  await keys.flushUses();
  const used = (await store.listKeys(made.workspace.id)).find(({ kind }) => kind === 'development');
  expect(used?.lastUsedAtMs).toBe(NOW + 7);
});

test('concurrent requests share one lookup, and a lookup from before a change is never shared after it', async () => {
  const own = authenticator();
  const header = `Bearer ${made.ownerKey}`;
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => own.authenticate(credentialOf(header), NOW, false)),
  );
  expect(outcomes.every(({ kind }) => kind === 'actor')).toBe(true);
  expect(lookUps).toBe(1);
  own.forgetAll();
  const before = own.authenticate(credentialOf(header), NOW, false);
  own.forgetAll();
  const after = own.authenticate(credentialOf(header), NOW, false);
  await Promise.all([before, after]);
  expect(lookUps).toBe(3);
});
