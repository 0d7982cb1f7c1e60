import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPool } from '@writecheck/store/postgres/connection';
import { openPostgresStore } from '@writecheck/store/postgres/postgres-store';
import { prepareDatabase, requireUsableServer } from '@writecheck/store/postgres/prepare-database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onServer, startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { ALLOWED, ask, check } from '../ask.ts';
import { runWritecheck, spawnWritecheck, temporaryFolder } from '../spawn-service.ts';
import { startTestService } from '../start-service.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.remove());

const withPart = (url: string, change: (url: URL) => void): string => {
  const changed = new URL(url);
  change(changed);
  return changed.href;
};

/** Everything in the database, as far as the server itself knows. */
const contentsOf = (url: string): Promise<string> =>
  onServer(url, async (client) => {
    const { rows } = await client.query(
      `SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname NOT LIKE 'pg_%' AND n.nspname <> 'information_schema' ORDER BY 1, 2`,
    );
    return JSON.stringify(rows);
  });

const asSuperuser = (url: string, sql: string) =>
  onServer(
    withPart(server.url, (to) => {
      to.pathname = new URL(url).pathname;
    }),
    (client) => client.query(sql),
  );

const refusalOf = async (url: string): Promise<string> => {
  const { code, stderr, stdout } = await runWritecheck(
    ['serve', '--port', '0', '--data', temporaryFolder()],
    {
      WRITECHECK_DATABASE_URL: url,
    },
  );
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr.trim().split('\n')).toHaveLength(1);
  return stderr;
};

describe('a service on PostgreSQL starts', () => {
  test('by its URL alone, four concurrently, with one schema and one first workspace', async () => {
    const url = await server.newDatabase();
    const started = Array.from({ length: 4 }, () =>
      spawnWritecheck(['serve', '--port', '0', '--data', mkdtempSync(join(tmpdir(), 'writecheck-four-'))], {
        WRITECHECK_DATABASE_URL: url,
      }),
    );
    await Promise.all(started.map(({ listening }) => listening));
    const welcomed = started.filter(({ stdout }) => stdout().includes('owner key'));
    for (const { child } of started) child.kill('SIGTERM');
    const ended = await Promise.all(started.map(({ finished }) => finished));
    expect(ended.map(({ code }) => code)).toEqual(Array(4).fill(0));
    expect(welcomed).toHaveLength(1);
    await onServer(url, async (client) => {
      const { rows } = await client.query(
        `SELECT (SELECT count(*)::int FROM writecheck.workspace) AS workspaces,
           (SELECT count(*)::int FROM writecheck.migration) AS migrations,
           (SELECT count(*)::int FROM writecheck.log) AS logs`,
      );
      expect(rows).toEqual([{ workspaces: 1, migrations: 1, logs: 4 }]);
    });
  });
});

test('however many open an empty database concurrently, each finds it created', async () => {
  for (const isolation of ['read committed', 'read committed', 'repeatable read', 'serializable']) {
    const url = await server.newDatabase();
    const name = new URL(url).pathname.slice(1);
    await onServer(url, (client) =>
      client.query(`ALTER DATABASE ${name} SET default_transaction_isolation = '${isolation}'`),
    );
    const looks = await Promise.allSettled(Array.from({ length: 10 }, () => prepareDatabase(url)));
    const failed = looks.flatMap((look) => (look.status === 'rejected' ? [String(look.reason)] : []));
    expect(failed).toEqual([]);
  }
});

describe('a service on PostgreSQL does not start, and changes nothing', () => {
  test('if no server responds, or the host is unknown', async () => {
    const nobody = withPart(server.url, (url) => {
      url.port = '1';
    });
    expect(await refusalOf(nobody)).toContain('cannot be reached');
    expect(await refusalOf('postgres://no-such-host.invalid/x')).toMatch(/not known|cannot be looked up/);
  });

  test('if the user, the password or the database is wrong; and the password is never shown', async () => {
    const wrong = withPart(server.url, (url) => {
      url.password = 'canary-password';
    });
    const refused = await refusalOf(wrong);
    expect(refused).toContain('refuses the user or the password');
    expect(refused).not.toContain('canary-password');
    const missing = withPart(server.url, (url) => {
      url.pathname = '/nothing_here';
    });
    expect(await refusalOf(missing)).toContain('there is no such database');
  });

  test('if the URL is not a database URL', async () => {
    const { code, stderr } = await runWritecheck(['serve'], { WRITECHECK_DATABASE_URL: 'mysql://x/y' });
    expect(code).toBe(1);
    expect(stderr).toContain('WRITECHECK_DATABASE_URL: must be a URL such as');
  });

  test('if the user may not create the schema, or may not write to it', async () => {
    const url = await server.newDatabase();
    const name = `guest_${new URL(url).pathname.slice(-8)}`;
    await onServer(url, (client) => client.query(`CREATE ROLE ${name} LOGIN PASSWORD 'guest'`));
    const guest = withPart(url, (to) => {
      to.username = name;
      to.password = 'guest';
    });
    expect(await refusalOf(guest)).toContain('lacks rights');
    expect(await contentsOf(url)).toBe('[]');
    await (await openPostgresStore(url)).close();
    await onServer(url, (client) => client.query(`GRANT USAGE ON SCHEMA writecheck TO ${name}`));
    expect(await refusalOf(guest)).toContain('lacks rights');
    await onServer(url, (client) =>
      client.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA writecheck TO ${name}`),
    );
    await (await openPostgresStore(guest)).close();
    await onServer(url, (client) =>
      client.query(`CREATE FUNCTION writecheck.of_somebody_else() RETURNS integer LANGUAGE sql AS 'SELECT 1';
        REVOKE EXECUTE ON FUNCTION writecheck.of_somebody_else FROM PUBLIC`),
    );
    await (await openPostgresStore(guest)).close();
    await onServer(url, (client) => client.query('REVOKE EXECUTE ON FUNCTION writecheck.commit FROM PUBLIC'));
    expect(await refusalOf(guest)).toContain('grant EXECUTE');
    await onServer(url, (client) => client.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`));
  });

  test('if the schema is newer than the program, or incomplete', async () => {
    const newer = await server.newDatabase();
    await (await openPostgresStore(newer)).close();
    await onServer(newer, (client) => client.query('INSERT INTO writecheck.migration (number) VALUES (99)'));
    expect(await refusalOf(newer)).toContain('schema version 99');
    const half = await server.newDatabase();
    await onServer(half, (client) =>
      client.query('CREATE SCHEMA writecheck; CREATE TABLE writecheck.segment (position bigint)'),
    );
    const before = await contentsOf(half);
    expect(await refusalOf(half)).toContain('is incomplete');
    expect(await contentsOf(half)).toBe(before);
    const robbed = await server.newDatabase();
    await (await openPostgresStore(robbed)).close();
    await onServer(robbed, (client) => client.query('DROP TABLE writecheck.node'));
    expect(await refusalOf(robbed)).toContain('is incomplete');
  });

  test.each([
    'ALTER TABLE writecheck.segment DROP CONSTRAINT segment_pkey',
    'DROP FUNCTION writecheck.commit',
    'DROP FUNCTION writecheck.claim_log',
  ])('if a restore left something out: %s', async (loss) => {
    const url = await server.newDatabase();
    await (await openPostgresStore(url)).close();
    await onServer(url, (client) => client.query(loss));
    expect(await refusalOf(url)).toContain('is incomplete');
  });

  test('if the database is not in UTF-8, or accepts no writes', async () => {
    await onServer(server.url, (client) =>
      client.query("CREATE DATABASE odd TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'"),
    );
    const odd = withPart(server.url, (url) => {
      url.pathname = '/odd';
    });
    expect(await refusalOf(odd)).toContain('encoded in SQL_ASCII');
    await onServer(server.url, (client) => client.query('DROP DATABASE odd'));
    const url = await server.newDatabase();
    const name = new URL(url).pathname.slice(1);
    await onServer(url, (client) =>
      client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`),
    );
    expect(await refusalOf(url)).toContain('takes no writes');
    expect(await contentsOf(url)).toBe('[]');
  });

  test('if names could resolve before those of PostgreSQL itself', async () => {
    const url = await server.newDatabase();
    const name = new URL(url).pathname.slice(1);
    const setPath = (path: string) =>
      onServer(url, (client) => client.query(`ALTER DATABASE ${name} SET search_path = ${path}`));
    await setPath('public, pg_catalog');
    expect(await refusalOf(url)).toContain('puts `public` before `pg_catalog`');
    expect(await contentsOf(url)).toBe('[]');
    await setPath('public');
    await prepareDatabase(url);
  });

  test('if rows could be hidden or lost, or a guard of the log is off', async () => {
    const url = await server.newServiceDatabase();
    for (const [broken, mended, said] of [
      [
        'freeze ENABLE ROW LEVEL SECURITY',
        'freeze DISABLE ROW LEVEL SECURITY',
        'row-level security hides rows of `writecheck.freeze`',
      ],
      ['redemption SET UNLOGGED', 'redemption SET LOGGED', 'a crash would empty `writecheck.redemption`'],
      ['log DISABLE TRIGGER refuse_lost', 'log ENABLE TRIGGER refuse_lost', 'is incomplete'],
    ]) {
      await asSuperuser(url, `ALTER TABLE writecheck.${broken}`);
      expect(await refusalOf(url)).toContain(said);
      await asSuperuser(url, `ALTER TABLE writecheck.${mended}`);
    }
    await prepareDatabase(url);
  });

  test('if its server is too old, a standby, or does not sync', () => {
    const server = {
      ...{ version: 180_004, encoding: 'UTF8', is_standby: false, read_only: 'off' },
      ...{ fsync: 'on', full_page_writes: 'on', schemas: ['pg_temp_3', 'pg_catalog', 'public'] },
      trigger_role: 'origin',
    };
    const whyNot = (changes: object) => () => requireUsableServer({ ...server, ...changes });
    expect(whyNot({})).not.toThrow();
    expect(whyNot({ version: 140_000 })).not.toThrow();
    expect(whyNot({ version: 130_022 })).toThrow('the server is PostgreSQL 13; use version 14 or newer');
    expect(whyNot({ is_standby: true })).toThrow('use the primary');
    expect(whyNot({ fsync: 'off' })).toThrow('`fsync = off`');
    expect(whyNot({ trigger_role: 'replica' })).toThrow('the triggers that guard the log do not run');
    expect(whyNot({ full_page_writes: 'off' })).toThrow('`full_page_writes = off`');
  });
});

test('hidden rows and functions of other schemas, added while it runs, change no decision', async () => {
  const url = await server.newServiceDatabase();
  const name = new URL(url).pathname.slice(1);
  // As behind a role that another hand made.
  await asSuperuser(url, 'ALTER ROLE writecheck_service RESET ALL');
  const service = await startTestService({ settings: { databaseUrl: url } });
  const { liveKey: key, ownerKey } = service;
  const frozen = { json: { reason: 'x', scope: { system: ['erp'] } }, key: ownerKey };
  expect((await ask(`${service.url}/v1/freezes`, frozen)).status).toBe(201);
  await asSuperuser(
    url,
    `CREATE SCHEMA evil; GRANT USAGE ON SCHEMA evil TO writecheck_service;
     CREATE FUNCTION evil.cardinality(text[]) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 0';
     CREATE FUNCTION evil.starts_with(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true';
     ALTER DATABASE ${name} SET search_path = evil, pg_catalog;
     ALTER DATABASE ${name} SET array_nulls = off`,
  );
  await asSuperuser(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`,
  );
  const taken = async (claim: string) => {
    const headers = { 'idempotency-key': 'one', redeem: claim };
    return (await check(service, ALLOWED, { key, headers })).body.redemption?.claim;
  };
  await expect.poll(() => taken('one')).toBe('one');
  expect(await taken('two')).toBe('one');
  for (const table of ['freeze', 'freeze_number', 'policy'])
    await asSuperuser(url, `ALTER TABLE writecheck.${table} ENABLE ROW LEVEL SECURITY`);
  for (const intent of [ALLOWED, { ...ALLOWED, system: 'erp' }])
    expect((await check(service, intent, { key })).status).toBe(503);
  await service.stop();
});

test('a connection waits until its writes are durable, and hears if that fails, whatever the URL sets', async () => {
  const settingsUnder = async (synchronous: string) => {
    const url = withPart(await server.newDatabase(), ({ searchParams }) =>
      searchParams.set('options', `-c synchronous_commit=${synchronous} -c client_min_messages=error`),
    );
    const pool = openPool(url);
    const [found] = await pool.query(
      "SELECT current_setting('synchronous_commit') AS waits, current_setting('client_min_messages') AS hears",
    );
    await pool.close();
    return found;
  };
  for (const [set, waits] of [
    ['off', 'on'],
    ['local', 'on'],
    ['remote_apply', 'remote_apply'],
  ] as const)
    expect(await settingsUnder(set)).toEqual({ waits, hears: 'warning' });
});

test('commands wait without a limit, even if the role or the database has one', async () => {
  const url = await server.newDatabase();
  const name = new URL(url).pathname.slice(1);
  const limits = ['statement_timeout', 'idle_in_transaction_session_timeout'];
  await onServer(url, async (client) => {
    for (const limit of limits) await client.query(`ALTER DATABASE "${name}" SET ${limit} = '60s'`);
  });
  const command = openPool(url, true);
  for (const limit of limits) expect(await command.query(`SHOW ${limit}`)).toEqual([{ [limit]: '0' }]);
  await command.close();
});
