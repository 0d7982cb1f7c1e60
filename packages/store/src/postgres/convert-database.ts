/** Converts a database of the previous schema in one transaction that waits only for a limited time for a lock. */
import type pg from 'pg';
import type { Migration, MigrationOptions, PlannedMigration } from '../port/migration.ts';
import { BEGIN, type Query, queryOn, settings } from './connection.ts';
import { CONVERSION } from './convert.ts';
import { createSchema, LOCK, NOTE_VERSION, onClient, requireUsable } from './migrate.ts';
import { isRefusedBy, unavailable } from './postgres-failure.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { versionOf } from './schema-version.ts';

const LOOK_EVERY_MS = 1_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** Null if there is nothing to do; takes no lock. Rejects with `StoreUnavailable` if this program cannot do it. */
export function plannedMigration(url: string): Promise<PlannedMigration | null> {
  return onClient(url, async (client) => {
    const query = queryOn(client);
    await requireUsable(query);
    const from = await versionOf(query);
    if (from === SCHEMA_VERSION) return null;
    return { from, to: SCHEMA_VERSION, users: from === 0 ? [] : await usersOf(query) };
  });
}

/** Null if there was nothing to do. Rejects with `StoreUnavailable`; then nothing has changed. */
export function migrateDatabase(url: string, options: MigrationOptions): Promise<Migration | null> {
  return onClient(
    url,
    async (client) => {
      const query = queryOn(client);
      await requireUsable(query);
      const from = await versionOf(query);
      if (from === SCHEMA_VERSION) return null;
      if (from === 0) {
        options.tell('creating the schema');
        await createSchema(client, query);
      } else await convert(url, client, options);
      return { from, to: SCHEMA_VERSION };
    },
    // No time limit: a step may take long on a large database.
    settings(true),
  );
}

async function convert(
  url: string,
  client: pg.Client,
  { lockTimeoutMs, tell }: MigrationOptions,
): Promise<void> {
  const query = queryOn(client);
  await client.query(`${BEGIN}; SET LOCAL lock_timeout = ${Math.max(1, Math.ceil(lockTimeoutMs))}`);
  const [mine] = await query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const watch = watchBlockers(url, mine!.pid, tell);
  try {
    await query(LOCK);
    // Another process may have done it while this one waited.
    if ((await versionOf(query)) !== SCHEMA_VERSION) {
      for (const [what, sql] of CONVERSION) {
        tell(what);
        await client.query(sql);
      }
      await query(NOTE_VERSION, [SCHEMA_VERSION]);
    }
    await client.query('COMMIT');
  } catch (thrown) {
    if (!isRefusedBy(thrown, LOCK_NOT_AVAILABLE)) throw thrown;
    const held = `${watch.newest() ?? 'another session'} holds a lock and did not release it in time`;
    const message = `${held}; nothing was changed, wait for it or end it and try again`;
    throw unavailable('busy', thrown, message);
  } finally {
    watch.stop();
  }
}

/** Looks over a second connection, because the first one waits. */
function watchBlockers(url: string, pid: number, tell: (line: string) => void) {
  let newest: string | null = null;
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    const look = onClient(url, (client) => blockersOf(queryOn(client), pid));
    look
      .then((blockers) => {
        if (blockers === null) return;
        if (blockers !== newest) tell(`waiting for a lock: ${blockers} holds it`);
        newest = blockers;
      })
      // This only explains the wait; the migration does not depend on it.
      .catch(() => undefined)
      .finally(() => {
        isLooking = false;
      });
  }, LOOK_EVERY_MS);
  return { newest: () => newest, stop: () => clearInterval(timer) };
}

interface Session {
  readonly pid: number;
  readonly program: string | null;
}

async function blockersOf(query: Query, pid: number): Promise<string | null> {
  const sessions = await query<Session>(
    `SELECT pid, nullif(application_name, '') AS program FROM pg_catalog.pg_stat_activity
     WHERE pid = ANY (pg_catalog.pg_blocking_pids($1)) ORDER BY pid`,
    [pid],
  );
  return sessions.length === 0 ? null : sessions.map(named).join(', ');
}

function named({ pid, program }: Session): string {
  return program === null ? `session ${pid}` : `session ${pid} (${program})`;
}

async function usersOf(query: Query): Promise<readonly string[]> {
  const [logs] = await query<{ held: number }>(
    'SELECT count(*)::integer AS held FROM writecheck.log WHERE is_open AND leased_until > clock_timestamp()',
  );
  const sessions = await query<Session>(
    `SELECT DISTINCT a.pid, nullif(a.application_name, '') AS program FROM pg_catalog.pg_locks l
       JOIN pg_catalog.pg_class c ON c.oid = l.relation JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
     WHERE l.granted AND c.relnamespace = 'writecheck'::regnamespace AND a.pid <> pg_backend_pid()
       AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
     ORDER BY a.pid`,
  );
  const { held } = logs!;
  return [
    ...(held === 0
      ? []
      : [
          `in use by ${held === 1 ? '1 replica' : `${held} replicas`}: stop every replica first, because the old version refuses every check after the migration`,
        ]),
    ...sessions.map((session) => `${named(session)} holds a lock on its tables: the migration waits for it`),
  ];
}
