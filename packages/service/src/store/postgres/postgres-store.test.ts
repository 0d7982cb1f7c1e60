import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeStore } from '../../../test/store-contract/store-contract.ts';
import { newKey, newRequest, newWorkspace } from '../../../test/store-contract/store-contract-values.ts';
import { onServer, startTestServer, type TestServer } from '../../../test/test-postgres.ts';
import { COMMAND_LINE } from '../port/acting.ts';
import { openPostgresStore } from './postgres-store.ts';
import { MIGRATIONS } from './schema.ts';
import { KINDS } from './schema-kinds.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.remove());

describeStore('the PostgreSQL store', async () => {
  const url = await server.newDatabase();
  return { open: () => openPostgresStore(url), remove: async () => undefined };
});

test('a database of the version before is brought up to date, and goes on', async () => {
  const url = await server.newDatabase();
  const before = await openPostgresStore(url);
  const { workspace, keys } = newWorkspace();
  await before.createWorkspace(workspace, keys);
  await before.close();
  await onServer(url, (client) =>
    client.query(`DROP FUNCTION writecheck.change_reviews_v1; DROP FUNCTION writecheck.change_reviews_v2; DROP TABLE writecheck.review, writecheck.review_tag;
      DROP FUNCTION writecheck.change_person_v1; DROP FUNCTION writecheck.change_person_v2;
      DROP TABLE writecheck.person, writecheck.credential, writecheck.session, writecheck.one_time;
      ALTER TABLE writecheck.api_key DROP COLUMN held_by, DROP COLUMN made_by, DROP COLUMN revoked_by;
      ALTER TABLE writecheck.policy DROP COLUMN author_person, DROP COLUMN loosens, DROP COLUMN message;
      DROP TABLE writecheck.webhook, writecheck.webhook_delivery, writecheck.webhook_call;
      DROP FUNCTION writecheck.finish_run_v1; DROP FUNCTION writecheck.lease_now_v1;
      DROP TABLE writecheck.impact_run, writecheck.assessment, writecheck.pruned_day;
      DROP FUNCTION writecheck.refuse_lost_v1 CASCADE; DROP FUNCTION writecheck.claim_log_v2;
      DROP TABLE writecheck.lost_entries, writecheck.forgotten_decision;
      DROP FUNCTION writecheck.note_kinds_v1 CASCADE; DROP TABLE writecheck.decision_kind;
      DROP FUNCTION writecheck.redeem_v2; DROP FUNCTION writecheck.note_rotation_v1 CASCADE;
      ALTER TABLE writecheck.api_key DROP COLUMN rotated_ms, DROP COLUMN rotated_from; DELETE FROM writecheck.migration WHERE number > 2`),
  );
  const stores = await Promise.all([openPostgresStore(url), openPostgresStore(url)]);
  expect((await stores[0]!.listKeys(workspace.id)).map(({ rotatedAtMs }) => rotatedAtMs)).toEqual([
    null,
    null,
  ]);
  await Promise.all(stores.map((store) => store.close()));
});

test('filters find what was indexed before the kinds of decisions were noted, and what older replicas index after', async () => {
  const url = await server.newDatabase();
  const older = await openPostgresStore(url);
  const { workspace, keys } = newWorkspace();
  await older.createWorkspace(workspace, keys);
  const list = async (store: typeof older, system: string) => {
    const page = await store.listDecisions({ workspace: workspace.id, system, limit: 1_000 });
    return page.kind === 'page' ? page.decisions.length : 0;
  };
  await older.commit([newRequest(workspace.id, { system: 'before' })]);
  expect(await list(older, 'before')).toBe(1);
  await onServer(url, (client) =>
    client.query(`DROP FUNCTION writecheck.note_kinds_v1 CASCADE; DROP TABLE writecheck.decision_kind;
      DROP TABLE writecheck.webhook_call; ALTER TABLE writecheck.policy DROP COLUMN message;
      DROP FUNCTION writecheck.change_person_v2; ALTER TABLE writecheck.person DROP COLUMN history;
      ALTER TABLE writecheck.api_key DROP COLUMN revoked_by;
      DELETE FROM writecheck.migration WHERE number > ${MIGRATIONS.indexOf(KINDS)}`),
  );
  // Checks go on while it migrates.
  let isMigrating = true;
  let commits = 0;
  const checks = (async () => {
    for (; isMigrating; commits += 1) await older.commit([newRequest(workspace.id, { system: 'meanwhile' })]);
  })();
  const newer = await openPostgresStore(url);
  isMigrating = false;
  await checks;
  expect(commits).toBeGreaterThan(0);
  await older.commit([newRequest(workspace.id, { system: 'after' })]);
  for (const [system, count] of [
    ['before', 1],
    ['meanwhile', Math.min(commits, 1_000)],
    ['after', 1],
    ['never', 0],
  ] as const) {
    expect(await list(newer, system), system).toBe(count);
  }
  await Promise.all([older.close(), newer.close()]);
});

test('a rotation by a replica that does not know how to remember it is remembered all the same', async () => {
  const url = await server.newDatabase();
  const store = await openPostgresStore(url);
  const { workspace, keys } = newWorkspace();
  await store.createWorkspace(workspace, keys);
  const [old] = keys;
  await onServer(url, (client) =>
    client.query('UPDATE writecheck.api_key SET expires_ms = $2 WHERE id = $1', [old!.id, 9e12]),
  );
  const { id, hash, hint } = newKey('owner');
  const rotation = { workspace: workspace.id, keyId: old!.id, nowMs: 5, oldExpiresAtMs: 5 };
  expect(await store.rotateKey({ ...rotation, replacement: { id, hash, hint }, by: COMMAND_LINE })).toEqual({
    ...{ kind: 'not_active', because: 'rotated' },
  });
  await store.close();
});

test('the logs of all replicas are indexed while they grow, though nobody lists anything', async () => {
  const url = await server.newDatabase();
  const stores = await Promise.all([openPostgresStore(url), openPostgresStore(url)]);
  const { workspace, keys } = newWorkspace();
  await stores[0]!.createWorkspace(workspace, keys);
  let isGrowing = true;
  const growing = stores.map(async (store) => {
    while (isGrowing) {
      await store.commit([newRequest(workspace.id)]);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  });
  const logs = () =>
    onServer(url, async (client) => {
      const { rows } = await client.query(
        'SELECT i.size::int AS indexed, l.size::int AS size FROM writecheck.indexed i JOIN writecheck.log l ON l.number = i.log',
      );
      return rows as { readonly indexed: number; readonly size: number }[];
    });
  const atLeast = async (indexed: number) => (await logs()).filter((log) => log.indexed >= indexed).length;
  await expect.poll(() => atLeast(1), { timeout: 10_000 }).toBe(2);
  // Both indexes go on, while neither log stands still.
  const further = Math.max(...(await logs()).map(({ size }) => size)) + 1;
  await expect.poll(() => atLeast(further), { timeout: 10_000 }).toBe(2);
  isGrowing = false;
  await Promise.all(growing);
  const behind = async () => (await logs()).map(({ indexed, size }) => size - indexed);
  await expect.poll(behind, { timeout: 10_000 }).toEqual([0, 0]);
  await Promise.all(stores.map((store) => store.close()));
});
