import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeStore } from '../../test/store-contract/store-contract.ts';
import { commitTo, newRequest, newWorkspace } from '../../test/store-contract/store-contract-values.ts';
import { STORED_BYTES_MAX } from '../../test/store-contract/store-contract-workspaces.ts';
import { onServer, startTestServer, type TestServer } from '../../test/test-postgres.ts';
import { LastingConnection } from './connection.ts';
import { openPostgresStore } from './postgres-store.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.remove());

describeStore('the PostgreSQL store, as a user that may only use its tables and functions,', async () => {
  const url = await server.newServiceDatabase();
  const open = () => openPostgresStore(url, { storesAtMost: STORED_BYTES_MAX });
  return { open, remove: async () => undefined };
});

test('the user of the service can read everything that a dump reads', async () => {
  const kinds = await onServer(await server.newServiceDatabase(), async (client) => {
    const { rows } = await client.query(
      `SELECT c.relkind, count(*)::int AS all,
         (count(*) FILTER (WHERE has_table_privilege(c.oid, 'SELECT')))::int AS readable
       FROM pg_class c WHERE c.relnamespace = 'writecheck'::regnamespace AND c.relkind IN ('r', 'S')
       GROUP BY c.relkind`,
    );
    return rows as { readonly all: number; readonly readable: number }[];
  });
  expect(kinds.length).toBe(2);
  for (const { all, readable } of kinds) expect(readable).toBe(all);
});

test('all that need a lasting connection while it opens share it, and open another after a failure', async () => {
  const url = await server.newServiceDatabase();
  const connection = new LastingConnection(url);
  const clients = await Promise.all(Array.from({ length: 20 }, () => connection.get()));
  expect(new Set(clients).size).toBe(1);
  connection.drop();
  expect(await connection.get()).not.toBe(clients[0]);
  await connection.close();
  const nowhere = new LastingConnection('postgres://nobody@127.0.0.1:1/none');
  await expect(nowhere.get()).rejects.toThrow();
  await expect(nowhere.get()).rejects.toThrow();
});

test('a server with a stricter default isolation records every commit exactly once', async () => {
  const url = await server.newDatabase();
  await onServer(url, (client) =>
    client.query(
      `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET default_transaction_isolation = 'repeatable read'`,
    ),
  );
  const store = await openPostgresStore(url);
  const { workspace, keys } = newWorkspace();
  await store.createWorkspace(workspace, keys);
  const sizeOf = async () => (await store.logs()).reduce((sum, { size }) => sum + size, 0);
  const before = await sizeOf();
  for (const count of [1, 2, 3]) {
    const [result] = await commitTo(store, [newRequest(workspace.id)]);
    expect(result!.kind).toBe('committed');
    expect(await sizeOf()).toBe(before + count);
  }
  await store.close();
});

test('the logs of all replicas are indexed while they grow, even if nobody lists anything', async () => {
  const url = await server.newDatabase();
  const stores = await Promise.all([openPostgresStore(url), openPostgresStore(url)]);
  const { workspace, keys } = newWorkspace();
  await stores[0]!.createWorkspace(workspace, keys);
  let isGrowing = true;
  const growing = stores.map(async (store) => {
    while (isGrowing) {
      await commitTo(store, [newRequest(workspace.id)]);
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
  await expect.poll(() => atLeast(1)).toBe(2);
  // Both indexes advance while both logs grow.
  const further = Math.max(...(await logs()).map(({ size }) => size)) + 1;
  await expect.poll(() => atLeast(further)).toBe(2);
  isGrowing = false;
  await Promise.all(growing);
  const behind = async () => (await logs()).map(({ indexed, size }) => size - indexed);
  await expect.poll(behind).toEqual([0, 0]);
  await Promise.all(stores.map((store) => store.close()));
});
