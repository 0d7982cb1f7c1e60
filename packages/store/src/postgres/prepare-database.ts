/** Checks whether a database can be used before changing anything in it, and creates the schema in an empty one. */
import type pg from 'pg';
import { abandon, connectTo, notePooled } from './connect.ts';
import { BEGIN, type Query, queryOn, settings } from './connection.ts';
import { toUnavailable, unavailable } from './postgres-failure.ts';
import { FUNCTION_NAMES, SCHEMA, SCHEMA_VERSION, TABLES } from './schema.ts';
import { versionOf } from './schema-version.ts';

/** Older versions no longer get security fixes. */
const SERVER_VERSION_MIN = 14;
/** Long enough for ten processes that start together and look one after another. */
const PREPARE_WITHIN_MS = 30_000;
/** Processes that create the schema do so one after another. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('writecheck migration', 0))";
const NOTE_VERSION = 'INSERT INTO writecheck.migration (number) VALUES ($1)';

/** Resolves with the number of the newest change; caches follow from there. Rejects with `StoreUnavailable`. */
export function prepareDatabase(url: string): Promise<number> {
  return onClient(url, async (client) => {
    const query = queryOn(client);
    const { timeout } = await requireUsable(query);
    // A pooler that ignores the session's parameters does not report it.
    if (timeout !== PREPARE_WITHIN_MS) notePooled(url);
    const version = await versionOf(query);
    if (version === 0) await createSchema(client, query);
    await requireRights(query);
    const [count] = await query<{ newest: number }>('SELECT newest FROM writecheck.change_count');
    return count!.newest;
  });
}

/** Whether the database holds our tables; creates nothing. Rejects with `StoreUnavailable`. */
export function hasSchema(url: string): Promise<boolean> {
  return onClient(url, async (client) => (await versionOf(queryOn(client))) > 0);
}

const IN_TIME = { ...settings(), query_timeout: PREPARE_WITHIN_MS, statement_timeout: PREPARE_WITHIN_MS };

async function onClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  let client: pg.Client;
  try {
    client = await connectTo(url, IN_TIME);
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
  /** The schemas in which names without one are looked up, as they are set for the user and the database. */
  readonly schemas: readonly string[];
  readonly read_only: string;
  readonly trigger_role: string;
}

interface Session {
  /** The timeout in milliseconds. */
  readonly timeout: number;
}

async function requireUsable(query: Query): Promise<Session> {
  const [server] = await query<Server & Session>(
    `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding,
       pg_is_in_recovery() AS is_standby, current_setting('fsync') AS fsync,
       current_setting('full_page_writes') AS full_page_writes,
       (SELECT regexp_split_to_array(replace(reset_val, '"', ''), ' *, *') FROM pg_settings
         WHERE name = 'search_path') AS schemas,
       current_setting('default_transaction_read_only') AS read_only,
       current_setting('session_replication_role') AS trigger_role,
       (SELECT setting::integer FROM pg_settings WHERE name = 'statement_timeout') AS timeout`,
  );
  requireUsableServer(server!);
  return server!;
}

export function requireUsableServer(server: Server): void {
  const { version, encoding, is_standby, fsync, full_page_writes, schemas, read_only, trigger_role } = server;
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
  if (trigger_role !== 'origin') {
    throw refuse(
      `the database user has \`session_replication_role = ${trigger_role}\`, so the triggers that guard the log do not run; reset it`,
    );
  }
  // Our functions name their tables in full, but not `sum` or `unnest`: a schema before pg_catalog could replace those.
  const [first, ...others] = schemas.filter((schema) => !schema.startsWith('pg_temp'));
  if (others.includes('pg_catalog')) {
    throw refuse(
      `the \`search_path\` of the database user puts \`${first}\` before \`pg_catalog\`; take \`pg_catalog\` out of it`,
    );
  }
}

/** Any number of processes may call it concurrently. */
async function createSchema(client: pg.Client, query: Query): Promise<void> {
  await client.query(BEGIN);
  await query(LOCK);
  // Another process may have done it while this one waited.
  if ((await versionOf(query)) === 0) {
    // `IF NOT EXISTS` would need the right to create schemas even if there is one.
    const made = await query("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'writecheck'");
    if (made.length === 0) await client.query('CREATE SCHEMA writecheck');
    await client.query(
      'CREATE TABLE writecheck.migration (number integer PRIMARY KEY, done_at timestamptz NOT NULL DEFAULT now())',
    );
    await client.query(SCHEMA);
    await query(NOTE_VERSION, [SCHEMA_VERSION]);
  }
  await client.query('COMMIT');
}

const LACKING: { readonly [what: string]: (names: string) => string } = {
  tables: (names) =>
    `the database user lacks rights on ${names}; grant SELECT, INSERT, UPDATE and DELETE on all tables of the schema \`writecheck\``,
  functions: (names) =>
    `the database user lacks rights on ${names}; grant EXECUTE on all functions of the schema \`writecheck\``,
  hidden: (names) =>
    `row-level security hides rows of ${names} from the database user; turn it off with \`ALTER TABLE ... DISABLE ROW LEVEL SECURITY\``,
  unlogged: (names) =>
    `a crash would empty ${names}, which is not logged; mend it with \`ALTER TABLE ... SET LOGGED\``,
};

/** Reported now rather than by the first check that fails, or by nobody: hidden or lost rows would loosen. */
async function requireRights(query: Query): Promise<void> {
  const [lacking] = await query<{ [what: string]: readonly string[] }>(
    `SELECT ARRAY(SELECT 'writecheck.' || proname FROM pg_catalog.pg_proc
       WHERE pronamespace = 'writecheck'::regnamespace AND 'writecheck.' || proname = ANY ($2::text[])
         AND NOT has_function_privilege(oid, 'EXECUTE')) AS functions,
     ARRAY(SELECT name FROM unnest($1::text[]) AS t (name) WHERE NOT (
       has_table_privilege(name, 'SELECT') AND has_table_privilege(name, 'INSERT')
       AND has_table_privilege(name, 'UPDATE') AND has_table_privilege(name, 'DELETE'))) AS tables,
     ARRAY(SELECT name FROM unnest($1::text[]) AS t (name) WHERE row_security_active(name)) AS hidden,
     ARRAY(SELECT oid::regclass::text FROM pg_catalog.pg_class
       WHERE relnamespace = 'writecheck'::regnamespace AND relkind = 'r' AND relpersistence <> 'p') AS unlogged`,
    [TABLES, FUNCTION_NAMES],
  );
  for (const [what, names] of Object.entries(lacking!))
    if (names.length > 0) throw refuse(LACKING[what]!(names.map((name) => `\`${name}\``).join(', ')));
}
