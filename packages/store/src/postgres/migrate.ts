/**
 * Checks whether a database can be used before changing anything in it, and brings its tables up to date. Any number
 * of processes may do so concurrently.
 */
import type pg from 'pg';
import { abandon, connectTo, notePooled } from './connect.ts';
import { type Query, queryOn, settings } from './connection.ts';
import { CONVERSION, CONVERTED_VERSION } from './convert.ts';
import { toUnavailable, unavailable } from './postgres-failure.ts';
import { FUNCTION_NAMES, PARTS, SCHEMA, SCHEMA_VERSION, TABLES } from './schema.ts';

/** Older versions get no more security fixes, or soon won't. */
const SERVER_VERSION_MIN = 14;
/** Long enough for ten processes that start together and migrate one after another. */
const MIGRATE_WITHIN_MS = 30_000;

/** Resolves with the number of the newest change; caches follow from there. Rejects with `StoreUnavailable`. */
export function prepareDatabase(url: string): Promise<number> {
  return onClient(url, async (client) => {
    const query = queryOn(client);
    const { timeout } = await requireUsable(query);
    // A pooler that is told to ignore the parameters of a session says nothing about it.
    if (timeout !== MIGRATE_WITHIN_MS) notePooled(url);
    if ((await versionOf(query)) < SCHEMA_VERSION) await migrate(client, query);
    await requireRights(query);
    const [count] = await query<{ newest: number }>('SELECT newest FROM writecheck.change_count');
    return count!.newest;
  });
}

/** Whether the database holds our tables; creates nothing. Rejects with `StoreUnavailable`. */
export function hasSchema(url: string): Promise<boolean> {
  return onClient(url, async (client) => (await versionOf(queryOn(client))) > 0);
}

async function onClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  let client: pg.Client;
  try {
    client = await connectTo(url, {
      ...settings(),
      query_timeout: MIGRATE_WITHIN_MS,
      statement_timeout: MIGRATE_WITHIN_MS,
    });
  } catch (thrown) {
    throw toUnavailable(thrown);
  }
  try {
    const done = await work(client);
    await client.end();
    return done;
  } catch (thrown) {
    abandon(client);
    throw toUnavailable(thrown);
  }
}

function refuse(message: string) {
  return unavailable('io', undefined, message);
}

interface Server {
  readonly version: number;
  readonly encoding: string;
  readonly is_standby: boolean;
  readonly fsync: string;
  readonly full_page_writes: string;
  /** In the order in which names without a schema are looked up. */
  readonly schemas: readonly string[];
  readonly read_only: string;
}

interface Session {
  /** In milliseconds. */
  readonly timeout: number;
}

async function requireUsable(query: Query): Promise<Session> {
  const [server] = await query<Server & Session>(
    `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding,
       pg_is_in_recovery() AS is_standby, current_setting('fsync') AS fsync,
       current_setting('full_page_writes') AS full_page_writes, current_schemas(true)::text[] AS schemas,
       current_setting('default_transaction_read_only') AS read_only,
       (SELECT setting::integer FROM pg_settings WHERE name = 'statement_timeout') AS timeout`,
  );
  requireUsableServer(server!);
  return server!;
}

export function requireUsableServer(server: Server): void {
  const { version, encoding, is_standby, fsync, full_page_writes, schemas, read_only } = server;
  const major = Math.floor(version / 10_000);
  if (major < SERVER_VERSION_MIN) {
    throw refuse(`the server is PostgreSQL ${major}; use version ${SERVER_VERSION_MIN} or newer`);
  }
  if (is_standby || read_only === 'on') throw unavailable('read_only');
  if (encoding !== 'UTF8') {
    throw refuse(`the database is encoded in ${encoding}; create one with \`createdb --encoding=UTF8\``);
  }
  if (fsync !== 'on') {
    throw refuse('the server runs with `fsync = off`, so decisions could be lost; turn it on');
  }
  if (full_page_writes !== 'on') {
    throw refuse(
      'the server runs with `full_page_writes = off`, so a crash could damage what is recorded; turn it on',
    );
  }
  // Our functions name their tables in full, but not `sum` or `unnest`: a schema before pg_catalog could replace those.
  const first = schemas.find((schema) => !schema.startsWith('pg_temp'));
  if (first !== 'pg_catalog') {
    throw refuse(
      `the \`search_path\` of the database user puts \`${first}\` before \`pg_catalog\`; take \`pg_catalog\` out of it`,
    );
  }
}

/** 0 if the database holds nothing of ours. */
async function versionOf(query: Query): Promise<number> {
  // Read from the catalogue itself: `to_regclass` may use what the session cached before it waited for another
  // process, including that the tables do not exist.
  const partsNow = async () => {
    const found = await query<{ part: string }>(
      `WITH ours AS (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'writecheck')
     SELECT 'table writecheck.' || relname AS part FROM pg_catalog.pg_class
       WHERE relnamespace = (SELECT oid FROM ours) AND relkind = 'r'
     UNION ALL SELECT 'key writecheck.' || relname FROM pg_catalog.pg_constraint k
       JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
       WHERE connamespace = (SELECT oid FROM ours) AND contype = 'p'
     UNION ALL SELECT 'function writecheck.' || proname FROM pg_catalog.pg_proc
       WHERE pronamespace = (SELECT oid FROM ours)`,
    );
    return new Set(found.map(({ part }) => part));
  };
  const parts = await partsNow();
  const halfDone = () =>
    unavailable(
      'corrupt',
      undefined,
      'the schema `writecheck` is incomplete: a restore or a migration of it did not finish; restore it as a whole, or drop the schema if it is empty',
    );
  if (!parts.has('table writecheck.migration')) {
    if (PARTS.some((part) => parts.has(part))) throw halfDone();
    return 0;
  }
  const [newest] = await query<{ version: number | null }>(
    'SELECT max(number) AS version FROM writecheck.migration',
  );
  const version = newest?.version ?? 0;
  if (version > SCHEMA_VERSION) {
    throw unavailable(
      'corrupt',
      undefined,
      `the database is at schema version ${version}, this program knows ${SCHEMA_VERSION}; use a newer version of the program`,
    );
  }
  // The version is written together with its table.
  if (version === 0) throw halfDone();
  if (version === CONVERTED_VERSION) return version;
  if (version < SCHEMA_VERSION) {
    throw unavailable(
      'corrupt',
      undefined,
      `the database is at schema version ${version}, which is older than this program can convert`,
    );
  }
  // A migration may have ended between the two reads, so the version may be newer than the parts.
  const lacksOne = (held: ReadonlySet<string>) => !PARTS.every((part) => held.has(part));
  if (lacksOne(parts) && lacksOne(await partsNow())) throw halfDone();
  return version;
}

async function migrate(client: pg.Client, query: Query): Promise<void> {
  await client.query('BEGIN');
  await query("SELECT pg_advisory_xact_lock(hashtextextended('writecheck migration', 0))");
  // Another process may have done it while this one waited.
  const from = await versionOf(query);
  if (from === 0) {
    await client.query(`CREATE SCHEMA IF NOT EXISTS writecheck;
      CREATE TABLE writecheck.migration (number integer PRIMARY KEY, done_at timestamptz NOT NULL DEFAULT now())`);
  }
  if (from < SCHEMA_VERSION) {
    await client.query(from === 0 ? SCHEMA : CONVERSION);
    await query('INSERT INTO writecheck.migration (number) VALUES ($1)', [SCHEMA_VERSION]);
  }
  await client.query('COMMIT');
}

/** Reported now rather than by the first check that fails. */
async function requireRights(query: Query): Promise<void> {
  const [lacking] = await query<{ tables: readonly string[]; functions: readonly string[] }>(
    `SELECT ARRAY(SELECT name FROM unnest($1::text[]) AS t (name) WHERE NOT (
       has_table_privilege(name, 'SELECT') AND has_table_privilege(name, 'INSERT')
       AND has_table_privilege(name, 'UPDATE') AND has_table_privilege(name, 'DELETE'))) AS tables,
     ARRAY(SELECT 'writecheck.' || proname FROM pg_catalog.pg_proc
       WHERE pronamespace = 'writecheck'::regnamespace AND 'writecheck.' || proname = ANY ($2::text[])
         AND NOT has_function_privilege(oid, 'EXECUTE')) AS functions`,
    [TABLES, FUNCTION_NAMES],
  );
  if (lacking!.functions.length > 0) {
    throw refuse(
      `the database user lacks rights on \`${lacking!.functions.join('`, `')}\`; grant EXECUTE on all functions of the schema \`writecheck\``,
    );
  }
  if (lacking!.tables.length === 0) return;
  throw refuse(
    `the database user lacks rights on \`${lacking!.tables.join('`, `')}\`; grant SELECT, INSERT, UPDATE and DELETE on all tables of the schema \`writecheck\``,
  );
}
