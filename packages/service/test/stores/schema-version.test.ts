/** A start and every command leave a store of another schema version unchanged, and say why they refuse it. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openPostgresStore } from '@writecheck/store/postgres/postgres-store';
import { databasePath } from '@writecheck/store/sqlite/open-database';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serve } from '../../../cli/src/operator/serve.ts';
import { listWorkspacesCommand } from '../../../cli/src/operator/workspace-list.ts';
import { onServer, ROLES, startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { listen, portOf } from '../../src/edge/listen.ts';
import type { Flags } from '../../src/support/config/load-config.ts';
import { temporaryFolder } from '../spawn-service.ts';

interface Place {
  readonly settings: Flags;
  /** Differs if anything in the store does. */
  state(): Promise<string>;
}

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.remove());

async function folderAt(version: number): Promise<Place> {
  const folder = temporaryFolder();
  await (await openSqliteStore(folder)).close();
  const db = new Database(databasePath(folder));
  db.pragma(`user_version = ${version}`);
  db.close();
  return {
    settings: { data: folder },
    state: async () =>
      JSON.stringify([
        readdirSync(folder).sort(),
        createHash('sha256')
          .update(readFileSync(databasePath(folder)))
          .digest('hex'),
      ]),
  };
}

async function databaseAt(version: number): Promise<Place> {
  const url = await server.newDatabase();
  await (await openPostgresStore(url)).close();
  await onServer(url, (client) => client.query('UPDATE writecheck.migration SET number = $1', [version]));
  return {
    settings: { data: join(temporaryFolder(), 'data'), databaseUrl: url },
    state: () =>
      onServer(url, async (client) => {
        const { rows } = await client.query(
          `SELECT (SELECT max(number) FROM writecheck.migration) AS version,
             (SELECT count(*) FROM pg_class WHERE relnamespace = 'writecheck'::regnamespace) AS relations,
             (SELECT count(*) FROM writecheck.log) AS logs`,
        );
        return JSON.stringify(rows);
      }),
  };
}

describe.each([
  ['SQLite', folderAt],
  ['PostgreSQL', databaseAt],
])('on %s', (_, make) => {
  test.each([2, 99])(
    'a start and a command refuse a store of version %i and change nothing',
    async (version) => {
      const { settings, state } = await make(version);
      const before = await state();
      const words = `it is at schema version ${version}, and this version of Writecheck reads only schema version 1; nothing is damaged`;
      for (const workers of ['1', '2'])
        await expect(serve({ port: '0', logLevel: 'silent', ...settings, workers })).rejects.toThrow(words);
      await expect(listWorkspacesCommand({ ...settings, json: false })).rejects.toThrow(words);
      expect(await state()).toBe(before);
    },
  );
});

test('an installation with one user gets two, as the operations page says', async () => {
  const url = await server.newDatabase();
  const asUser = (name: string) => Object.assign(new URL(url), { username: name, password: 'x' }).href;
  const name = `one_${new URL(url).pathname.slice(-8)}`;
  const byAdministrator = (sql: string) => onServer(url, (client) => client.query(sql));
  await byAdministrator(
    `CREATE ROLE ${name} LOGIN PASSWORD 'x'; GRANT CREATE ON DATABASE ${new URL(url).pathname.slice(1)} TO ${name}`,
  );
  await (await openPostgresStore(asUser(name))).close();
  await byAdministrator(`${ROLES}; REASSIGN OWNED BY ${name} TO writecheck_owner;
    ALTER ROLE writecheck_owner PASSWORD 'x'; ALTER ROLE writecheck_service PASSWORD 'x'`);
  const store = await openPostgresStore(asUser('writecheck_service'));
  expect(await store.health()).toEqual({ kind: 'ok' });
  await store.close();
  const guest = onServer(asUser('writecheck_service'), (client) => client.query('DROP TABLE writecheck.log'));
  await expect(guest).rejects.toThrow('must be owner of table log');
});

test('a start that fails on a port creates no folder', async () => {
  const taken = createServer();
  await listen(taken, 0, '127.0.0.1');
  const data = join(temporaryFolder(), 'data');
  const port = String(portOf(taken.address()));
  for (const workers of ['1', '2'])
    await expect(serve({ port, data, workers, logLevel: 'silent' })).rejects.toThrow('is in use');
  expect(existsSync(data)).toBe(false);
  taken.close();
});
