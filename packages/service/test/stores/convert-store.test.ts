/** A real store of version 0.1.0 is migrated and continues. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redemption, Store } from '@writecheck/store/port';
import { migrateDatabase as migratePostgres } from '@writecheck/store/postgres/convert-database';
import { openPostgresStore } from '@writecheck/store/postgres/postgres-store';
import { migrateDatabase as migrateSqlite } from '@writecheck/store/sqlite/migrate';
import { databasePath } from '@writecheck/store/sqlite/open-database';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commitTo, newRequest } from '../../../store/test/store-contract/store-contract-values.ts';
import { onServer, startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { fillOldDatabase, makeOldFolder } from './old-stores.ts';

const WORKSPACE = 'ws_converted';

const PATIENT = { lockTimeoutMs: 10_000, tell: () => undefined };

interface Place {
  open(): Promise<Store>;
  migrate(): Promise<unknown>;
  /** The version that the database says it has. */
  setVersion(version: number): Promise<void>;
  remove(): Promise<void>;
}

async function sqlitePlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-convert-'));
  makeOldFolder(folder);
  return {
    open: () => openSqliteStore(folder),
    migrate: () => migrateSqlite(folder, PATIENT),
    async setVersion(version) {
      const written = new Database(databasePath(folder));
      written.pragma(`user_version = ${version}`);
      written.close();
    },
    remove: async () => rmSync(folder, { recursive: true }),
  };
}

async function postgresPlace(): Promise<Place> {
  const server: TestServer = await startTestServer();
  const url = await server.newDatabase();
  await fillOldDatabase(url);
  return {
    open: () => openPostgresStore(url),
    migrate: () => migratePostgres(url, PATIENT),
    setVersion: (version) =>
      onServer(url, async (client) => {
        await client.query('DELETE FROM writecheck.migration');
        await client.query('INSERT INTO writecheck.migration (number) VALUES ($1)', [version]);
      }),
    remove: () => server.remove(),
  };
}

async function redemptionOf(store: Store, at: number): Promise<Redemption> {
  const page = await store.listDecisions({ workspace: WORKSPACE, limit: 10 });
  const { decisionId, atMs } = page.kind === 'page' ? page.decisions.toReversed()[at]! : expect.fail();
  return {
    ...{ workspace: WORKSPACE, decisionId, keyId: 'key_new', keyKind: 'live', atMs, decidedAtMs: atMs },
    ...{ intentDigest: `sha256:${'0'.repeat(64)}`, policyRef: 'sha256:1', restsOn: [], validUntilMs: 9e12 },
    ...{ freezeNumber: 0, isFrozen: false, answer: { expiresAtMs: 0, keptUntilMs: 9e12 } },
    idempotency: { key: 'r', requestDigest: 'd', expiresAtMs: 9e12 },
  };
}

describe.each([
  ['SQLite', sqlitePlace],
  ['PostgreSQL', postgresPlace],
])('a store of version 0.1.0 on %s', (_, placed) => {
  let place: Place;
  let store: Store;
  beforeAll(async () => {
    place = await placed();
    await expect(place.open()).rejects.toMatchObject({
      why: 'version',
      message: expect.stringContaining('run `writecheck migrate`'),
    });
    // Only one of several concurrent migrations runs.
    await Promise.all([place.migrate(), place.migrate()]);
    expect(await place.migrate()).toBeNull();
    store = await place.open();
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });

  test('keeps its keys, policies, people, reviews and webhooks', async () => {
    const keys = await store.listKeys(WORKSPACE);
    expect(
      keys.map(({ id, rotatedAtMs, rotatedFrom, lineage }) => ({ id, rotatedAtMs, rotatedFrom, lineage })),
    ).toEqual([
      { id: 'key_owner', rotatedAtMs: null, rotatedFrom: null, lineage: 'key_owner' },
      { id: 'key_old', rotatedAtMs: 5, rotatedFrom: null, lineage: 'key_old' },
      { id: 'key_new', rotatedAtMs: null, rotatedFrom: 'key_old', lineage: 'key_old' },
    ]);
    expect((await store.findKey('b'.repeat(64)))?.expiresAtMs).toBe(9);
    expect(await store.currentPolicy(WORKSPACE)).toMatchObject({ digest: 'sha256:1', message: 'first' });
    expect(await store.listPeople(WORKSPACE)).toMatchObject([{ id: 'per_1', roles: ['reviewer'] }]);
    expect(await store.findReviews(WORKSPACE, ['rev_converted'])).toMatchObject([{ system: 'c\\rm\0' }]);
    expect(await store.listReviews({ workspace: WORKSPACE, system: 'c\\rm\0', limit: 9 })).toMatchObject({
      reviews: [{ id: 'rev_converted' }],
    });
    expect(await store.listWebhooks(WORKSPACE)).toMatchObject([{ id: 'whk_1' }]);
    expect(await store.findRun(WORKSPACE, 'imp_1')).toMatchObject({ state: 'failed' });
  });

  test('lets nothing count a second time', async () => {
    const used = { source: 's', jti: 'used' };
    const revoked = { source: 's', jti: 'revoked' };
    expect(await store.attestationStates(WORKSPACE, [used, revoked])).toEqual([
      { ...used, usedUp: true, revoked: false },
      { ...revoked, usedUp: false, revoked: true },
    ]);
    const redemption = await redemptionOf(store, 0);
    expect(await store.redeem(redemption)).toEqual({ kind: 'same', redeemedAtMs: redemption.atMs });
    expect(await store.redeem({ ...redemption, idempotency: null })).toEqual({ kind: 'already_redeemed' });
    const other = { ...(await redemptionOf(store, 1)), idempotency: null };
    expect(await store.redeem(other)).toMatchObject({ kind: 'redeemed' });
  });

  test('keeps no response that a process of version 0.1.0 could replay, because that version has no freezes', async () => {
    expect(await store.findAnswer(WORKSPACE, 'k', 1)).toBeNull();
  });

  test('continues its log, and is unchanged when it is opened again', async () => {
    const sizeOf = async () => (await store.logs()).reduce((sum, { size }) => sum + size, 0);
    const before = await sizeOf();
    const outcomes = await commitTo(store, [newRequest(WORKSPACE, { atMs: Date.now() })]);
    expect(outcomes).toMatchObject([{ kind: 'done', entries: [{ kind: 'committed' }] }]);
    expect(await sizeOf()).toBe(before + 1);
    await store.close();
    store = await place.open();
    expect(await sizeOf()).toBe(before + 1);
    expect(await store.health()).toEqual({ kind: 'ok' });
  });

  test('is refused if it is even older, or newer than the program, and never called damaged', async () => {
    await store.close();
    for (const [version, words] of [
      [3, 'start version 0.1.0 on it once'],
      [99, 'a newer version has migrated it, and nothing is damaged: start that version'],
    ] as const) {
      await place.setVersion(version);
      const refused = { why: 'version', message: expect.stringContaining(words) };
      await expect(place.open()).rejects.toMatchObject(refused);
      await expect(place.migrate()).rejects.toMatchObject(refused);
    }
  });
});
