/** Reads rows from PostgreSQL: one parameterised statement in a read-only transaction with a time limit. */
import { type JsonValue, parseStrictJson } from '@writecheck/contract';
import type { DatabaseHost } from '@writecheck/store/database-url';
import pg from 'pg';
import { exactDecimal, exactWhole, inexact } from './exact-number.ts';
import { FactsUnavailable, LATE, READ_MS_MAX, READS_AT_ONCE_MAX, SOURCE_BYTES_MAX } from './failures.ts';
import { type SqlReader, type SqlStatement, statementText, type Table } from './sql.ts';

/** The texts of times and floats depend on these settings. */
const BEGIN = `BEGIN TRANSACTION READ ONLY; SET LOCAL statement_timeout = ${READ_MS_MAX}; SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO'; SET LOCAL extra_float_digits = 1`;
const IDLE_MS = 10_000;
const AS_TEXT = { getTypeParser: () => (text: string) => text };

/** Limits what the server sends for one query. The driver keeps a row in memory until it is whole. */
const RECEIVED_BYTES_MAX = 2 * SOURCE_BYTES_MAX;

export interface PostgresReader extends SqlReader {
  close(): Promise<void>;
}

export function postgresReader({ url, tls }: DatabaseHost): PostgresReader {
  const pool = new pg.Pool({
    connectionString: url,
    ssl: tls,
    max: READS_AT_ONCE_MAX,
    connectionTimeoutMillis: READ_MS_MAX,
    idleTimeoutMillis: IDLE_MS,
    application_name: 'writecheck-facts',
  });
  // A connection that breaks is replaced by the next read. The pool reports errors only of idle ones; an error
  // of another would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    async read(statement, values, rowsToFetch) {
      const startedMs = performance.now();
      const client = await pool.connect().catch((error: unknown) => {
        throw new FactsUnavailable(`the database cannot be reached${codeOf(error)}`);
      });
      const leftMs = Math.max(1, READ_MS_MAX - (performance.now() - startedMs));
      let isWhole = false;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new FactsUnavailable(LATE)), leftMs);
      });
      try {
        const table = await Promise.race([readTable(client, statement, values, rowsToFetch), late]);
        // If there is a row too many, the rest is still being sent.
        isWhole = table.rows.length < rowsToFetch;
        return table;
      } finally {
        clearTimeout(timer);
        // The state of the connection is unknown after an error or a late response.
        client.release(!isWhole);
      }
    },
    close: () => pool.end(),
  };
}

async function readTable(
  client: pg.PoolClient,
  statement: SqlStatement,
  values: readonly string[],
  rowsToFetch: number,
): Promise<Table> {
  try {
    await client.query(BEGIN);
    const table = await rowsOf(client, statement, values, rowsToFetch);
    if (table.rows.length < rowsToFetch) await client.query('ROLLBACK');
    return table;
  } catch (error) {
    if (error instanceof FactsUnavailable) throw error;
    // 57014: the statement was cancelled, because its time is over.
    const code = codeOf(error);
    throw new FactsUnavailable(code === ' (57014)' ? LATE : `the query failed${code}`);
  }
}

/** Stops at the first row too many, or in the middle of one that is too long, so that no result fills the memory. */
function rowsOf(
  client: pg.PoolClient,
  statement: SqlStatement,
  values: readonly string[],
  rowsToFetch: number,
): Promise<Table> {
  // The extended protocol, which refuses a second statement.
  const config = {
    text: statementText(statement, (place) => `$${place}`),
    values: [...values],
    rowMode: 'array',
    queryMode: 'extended',
    types: AS_TEXT,
  };
  const query = client.query(new pg.Query<(string | null)[]>(config));
  const rows: (JsonValue | null)[][] = [];
  let characters = 0;
  const { stream } = (client as unknown as { readonly connection: pg.Connection }).connection;
  let received = 0;
  let onData = (_: Uint8Array): void => undefined;
  const table = new Promise<Table>((resolve, reject) => {
    onData = ({ length }) => {
      received += length;
      if (received <= RECEIVED_BYTES_MAX) return;
      reject(new FactsUnavailable('the rows are too long'));
      stream.destroy();
    };
    stream.on('data', onData);
    query.on('row', (row: (string | null)[], result) => {
      if (rows.length >= rowsToFetch || result === undefined) return;
      characters += row.reduce((sum, text) => sum + (text?.length ?? 0), 0);
      try {
        if (characters > SOURCE_BYTES_MAX) throw new FactsUnavailable('the rows are too long');
        rows.push(row.map((text, at) => (text === null ? null : jsonOf(result.fields[at]!, text))));
        if (rows.length === rowsToFetch) resolve({ columns: result.fields.map(({ name }) => name), rows });
      } catch (error) {
        reject(error);
      }
    });
    query.on('error', reject);
    query.on('end', (result) => resolve({ columns: result.fields.map(({ name }) => name), rows }));
  });
  return table.finally(() => stream.off('data', onData));
}

/** A bare code, because the message of an error may hold a value. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z_]{1,40}$/.test(code) ? ` (${code})` : '';
}

type Reader = (text: string) => JsonValue | undefined;

const asText: Reader = (text) => text;
/** A `json` column keeps its text, and so its duplicate names. */
const asJson: Reader = (text) => {
  const parsed = parseStrictJson(Buffer.from(text));
  return parsed.kind === 'json' ? parsed.value : undefined;
};
const asDate: Reader = (text) => (/^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined);
/** The session is in UTC. Infinity and years beyond 9999 are not RFC 3339. */
const asInstant: Reader = (text) => {
  const [matched, date, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)\+00$/.exec(text) ?? [];
  return matched === undefined ? undefined : `${date}T${time}Z`;
};

/** By the number of the type, which PostgreSQL never changes. */
const READERS: ReadonlyMap<number, Reader> = new Map(
  (
    [
      [(text) => text === 't', [16]],
      // int2, int4, int8
      [exactWhole, [21, 23, 20]],
      // float4, float8, numeric
      [exactDecimal, [700, 701, 1700]],
      // text, varchar, char(n), name, "char", uuid
      [asText, [25, 1043, 1042, 19, 18, 2950]],
      // json, jsonb
      [asJson, [114, 3802]],
      [asDate, [1082]],
      [asInstant, [1184]],
    ] as const satisfies readonly (readonly [Reader, readonly number[]])[]
  ).flatMap(([reader, types]) => types.map((type) => [type, reader] as const)),
);

function jsonOf({ name, dataTypeID }: pg.FieldDef, text: string): JsonValue {
  const read = READERS.get(dataTypeID);
  if (read === undefined)
    throw new FactsUnavailable(
      `the type of the column \`${name}\` has no JSON form; cast it to text, or a timestamp to timestamptz`,
    );
  const value = read(text);
  if (value === undefined) throw inexact(name);
  return value;
}
