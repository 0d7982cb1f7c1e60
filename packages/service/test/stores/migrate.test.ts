/** `writecheck migrate` and starts on a store of version 0.1.0: what changes it, and what leaves it unchanged. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openPostgresStore } from '@writecheck/store/postgres/postgres-store';
import { databasePath } from '@writecheck/store/sqlite/open-database';
import Database from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrateCommand } from '../../../cli/src/operator/migrate.ts';
import { serve } from '../../../cli/src/operator/serve.ts';
import { listWorkspacesCommand } from '../../../cli/src/operator/store-commands.ts';
import { onServer, ROLES, startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { listen, portOf } from '../../src/edge/listen.ts';
import { migrateStore, plannedMigration } from '../../src/runtime/open-store.ts';
import { openStoreFor } from '../../src/runtime/threads/start-failure.ts';
import { type Flags, loadConfig } from '../../src/support/config/load-config.ts';
import type { Config } from '../../src/support/config/settings.ts';
import { createLog } from '../../src/support/observability/log.ts';
import { runWritecheck, spawnWritecheck, temporaryFolder } from '../spawn-service.ts';
import { fillOldDatabase, makeOldFolder } from './old-stores.ts';

interface Place {
  readonly settings: Flags;
  readonly flags: readonly string[];
  readonly versions: readonly [from: number, to: number];
  /** Differs if anything in the store does. */
  state(): Promise<string>;
  /** Blocks a migration; resolves with a function that unblocks it. */
  hold(): Promise<() => Promise<void>>;
  /** What blocks it, as the command says. */
  readonly holder: RegExp;
}

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.remove());

async function inFolder(): Promise<Place> {
  const folder = temporaryFolder();
  makeOldFolder(folder);
  return {
    settings: { data: folder },
    flags: ['--data', folder],
    versions: [12, 13],
    state: async () =>
      JSON.stringify([
        readdirSync(folder).sort(),
        createHash('sha256')
          .update(readFileSync(databasePath(folder)))
          .digest('hex'),
      ]),
    async hold() {
      const other = new Database(databasePath(folder));
      other.prepare('SELECT * FROM log').all();
      return async () => void other.close();
    },
    holder: /another process has the database open/,
  };
}

async function inDatabase(): Promise<Place> {
  const url = await server.newDatabase();
  await fillOldDatabase(url);
  const data = join(temporaryFolder(), 'data');
  return {
    settings: { data, databaseUrl: url },
    flags: ['--data', data, '--database-url', url],
    versions: [14, 15],
    state: () =>
      onServer(url, async (client) => {
        const { rows } = await client.query(
          `SELECT (SELECT max(number) FROM writecheck.migration) AS version,
             (SELECT count(*) FROM pg_class WHERE relnamespace = 'writecheck'::regnamespace) AS relations,
             (SELECT count(*) FROM pg_proc WHERE pronamespace = 'writecheck'::regnamespace) AS functions`,
        );
        return JSON.stringify(rows);
      }),
    async hold() {
      const client = new pg.Client({ connectionString: url, application_name: 'pg_dump' });
      await client.connect();
      await client.query('BEGIN; LOCK TABLE writecheck.api_key IN ACCESS SHARE MODE');
      return () => client.end();
    },
    holder: /session \d+ \(pg_dump\) holds/,
  };
}

const flagsOf = (place: Place): Flags => ({ port: '0', logLevel: 'silent', ...place.settings });

async function configFrom(flags: Flags): Promise<Config> {
  const loaded = loadConfig({}, flags);
  return loaded.kind === 'config' ? loaded.config : expect.fail(loaded.faults.join());
}

describe.each([
  ['SQLite', inFolder],
  ['PostgreSQL', inDatabase],
])('on %s', (_, make) => {
  test('a start, a command and a dry run leave an earlier store unchanged, and name the command that migrates it', async () => {
    const place = await make();
    const before = await place.state();
    const [from, to] = place.versions;
    const words = `it is at schema version ${from}, this program needs ${to}; stop all replicas, back up, then run \`writecheck migrate\``;
    for (const workers of ['1', '2'])
      await expect(serve({ ...flagsOf(place), workers })).rejects.toThrow(words);
    await expect(listWorkspacesCommand(place.settings)).rejects.toThrow(words);
    expect(await plannedMigration(await configFrom(place.settings))).toEqual({ from, to, users: [] });
    await migrateCommand({ dryRun: true, lockTimeout: '1', ...place.settings });
    expect(process.exitCode).toBe(3);
    process.exitCode = undefined;
    expect(await place.state()).toBe(before);
  });

  test('a start that fails on a port migrates nothing although the settings say so, and the next one migrates', async () => {
    const place = await make();
    const before = await place.state();
    const taken = createServer();
    await listen(taken, 0, '127.0.0.1');
    const port = String(portOf(taken.address()));
    for (const wrong of [{ port }, { metricsPort: port }])
      for (const workers of ['1', '2'])
        await expect(
          serve({ ...flagsOf(place), migrate: 'start', workers, ...wrong }),
          JSON.stringify([wrong, workers]),
        ).rejects.toThrow('is in use');
    taken.close();
    expect(await place.state()).toBe(before);
    const log = createLog('silent');
    const store = await openStoreFor(await configFrom({ ...flagsOf(place), migrate: 'start' }), log);
    expect(await store.listWorkspaces(9)).toMatchObject([{ id: 'ws_converted' }]);
    await store.close();
  });

  test('it waits for a lock only for a limited time, says who holds it, and survives kill -9 meanwhile', async () => {
    const place = await make();
    const before = await place.state();
    const release = await place.hold();
    const config = await configFrom(place.settings);
    expect((await plannedMigration(config))?.users.join('\n')).toMatch(place.holder);
    const said: string[] = [];
    const tell = (line: string) => void said.push(line);
    await expect(migrateStore(config, { lockTimeoutMs: 3_000, tell })).rejects.toThrow(place.holder);
    expect(said.join('\n')).toMatch(/^waiting/m);
    const killed = spawnWritecheck(['migrate', ...place.flags, '--lock-timeout', '60']);
    await expect.poll(() => killed.stderr(), { timeout: 60_000 }).toMatch(/^waiting/m);
    killed.child.kill('SIGKILL');
    await killed.finished;
    await release();
    await expect.poll(() => place.state()).toBe(before);
    const [from, to] = place.versions;
    const done = await runWritecheck(['migrate', ...place.flags]);
    expect([done.code, done.stdout]).toEqual([
      0,
      expect.stringContaining(`was migrated from schema version ${from} to ${to} in`),
    ]);
    expect(await migrateStore(config, { lockTimeoutMs: 3_000, tell })).toBeNull();
    await migrateCommand({ dryRun: true, lockTimeout: '1', ...place.settings });
    expect(process.exitCode).toBeUndefined();
  }, 120_000);
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
  expect(await plannedMigration({ data: '', databaseUrl: asUser('writecheck_owner') })).toBeNull();
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

test('the lock time-out is a number of seconds', async () => {
  const options = { dryRun: false, lockTimeout: '1m', data: temporaryFolder() };
  await expect(migrateCommand(options)).rejects.toThrow('--lock-timeout must be a whole number of seconds');
});
