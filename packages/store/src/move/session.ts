/** One long transaction on a store, in PostgreSQL's SQL on both databases, all or nothing. */
import Database from 'better-sqlite3';
import { StoreUnavailable } from '../port/failure.ts';
import type { LogPlace } from '../port/log-reading.ts';
import { abandon, connectTo, DURABLE } from '../postgres/connect.ts';
import { queryOn, settings } from '../postgres/connection.ts';
import { toUnavailable as postgresFailure } from '../postgres/postgres-failure.ts';
import { databasePath } from '../sqlite/open-database.ts';
import { sqliteText } from '../sqlite/run-operation.ts';
import { toUnavailable as sqliteFailure } from '../sqlite/store-failure.ts';

export interface Session {
  readonly kind: LogPlace['kind'];
  query<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Row by row, without all of them in memory. */
  each<Row>(text: string, values: readonly unknown[]): AsyncIterable<Row>;
  commit(): Promise<void>;
  /** Undoes what was not committed. */
  close(): Promise<void>;
}

/**
 * `reading` sees the store as it is now and blocks nobody. Rejects with `StoreUnavailable`, as everything in it
 * does.
 */
export function openSession(place: LogPlace, purpose: 'reading' | 'writing'): Promise<Session> {
  const isReading = purpose === 'reading';
  return place.kind === 'sqlite' ? openSqlite(place.folder, isReading) : openPostgres(place.url, isReading);
}

export async function insertRow(
  session: Session,
  table: string,
  row: { readonly [column: string]: unknown },
): Promise<void> {
  const columns = Object.keys(row);
  // INVARIANT: the statement contains column names only in this form.
  if (!columns.every((column) => /^[a-z_]+$/.test(column)))
    throw new StoreUnavailable('io', `a row of table \`${table}\` has a column that no table has`);
  const places = columns.map((_, i) => `$${i + 1}`).join(', ');
  await session.query(
    `INSERT INTO writecheck.${table} (${columns.join(', ')}) VALUES (${places})`,
    Object.values(row),
  );
}

const BUSY_MS = 10_000;
const ROWS_AT_ONCE = 500;

async function openSqlite(folder: string, isReading: boolean): Promise<Session> {
  const db = new Database(databasePath(folder), { fileMustExist: true, timeout: BUSY_MS });
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (thrown) {
      throw sqliteFailure(thrown);
    }
  };
  try {
    guarded(() => {
      db.pragma('synchronous = FULL');
      db.exec(isReading ? 'BEGIN' : 'BEGIN IMMEDIATE');
    });
  } catch (thrown) {
    db.close();
    throw thrown;
  }
  const prepared = new Map<string, Database.Statement>();
  const statementOf = (text: string): Database.Statement => {
    const known = prepared.get(text) ?? db.prepare(sqliteText(text));
    prepared.set(text, known);
    return known;
  };
  const bound = (values: readonly unknown[]) =>
    values.map((value) => (typeof value === 'boolean' ? Number(value) : value));
  return {
    kind: 'sqlite',
    query: async <Row>(text: string, values: readonly unknown[] = []) =>
      guarded(() => {
        const statement = statementOf(text);
        if (statement.reader) return statement.all(bound(values)) as Row[];
        statement.run(bound(values));
        return [];
      }),
    async *each<Row>(text: string, values: readonly unknown[]) {
      try {
        yield* db.prepare(sqliteText(text)).iterate(bound(values)) as Iterable<Row>;
      } catch (thrown) {
        throw sqliteFailure(thrown);
      }
    },
    commit: async () => {
      guarded(() => db.exec('COMMIT'));
    },
    close: async () => void db.close(),
  };
}

async function openPostgres(url: string, isReading: boolean): Promise<Session> {
  const client = await connectTo(url, settings(true)).catch((thrown) => {
    throw postgresFailure(thrown);
  });
  const query = async <Row>(text: string, values: readonly unknown[] = []) => {
    try {
      return await queryOn(client)<Row>(text, values);
    } catch (thrown) {
      throw postgresFailure(thrown);
    }
  };
  try {
    await query(
      isReading ? 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'BEGIN ISOLATION LEVEL READ COMMITTED',
    );
    // One workspace arrives at a time.
    if (!isReading) await query("SELECT pg_advisory_xact_lock(hashtextextended('writecheck move', 0))");
  } catch (thrown) {
    abandon(client);
    throw thrown;
  }
  let isCommitted = false;
  let cursors = 0;
  return {
    kind: 'postgres',
    query,
    async *each<Row>(text: string, values: readonly unknown[]) {
      cursors += 1;
      const cursor = `writecheck_move_${cursors}`;
      await query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${text}`, values);
      for (;;) {
        const rows = await query<Row>(`FETCH ${ROWS_AT_ONCE} FROM ${cursor}`);
        yield* rows;
        if (rows.length < ROWS_AT_ONCE) break;
      }
      await query(`CLOSE ${cursor}`);
    },
    commit: async () => {
      await query(`SELECT ${DURABLE}`);
      await query('COMMIT');
      isCommitted = true;
    },
    close: async () => {
      if (isCommitted) await client.end().catch(() => undefined);
      else abandon(client);
    },
  };
}
