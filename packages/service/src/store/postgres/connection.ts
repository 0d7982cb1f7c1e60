/** Connections to the database: timeouts, how values are read, and a connection that reopens after a failure. */
import pg from 'pg';
import { toUnavailable, unavailable } from './postgres-failure.ts';

const CONNECT_WITHIN_MS = 1_500;
const QUERY_WITHIN_MS = 3_000;
const POOL_MAX = 4;
const IDLE_MS = 30_000;

const INT8 = 20;
const INT8_LIST = 1016;

/** Every number we store is a safe integer. */
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8) return Number;
    const parse = pg.types.getTypeParser(oid, format);
    return oid === INT8_LIST ? (text: string) => (parse(text) as string[]).map(Number) : parse;
  },
} as pg.CustomTypesConfig;

/** `isPatient` is for commands, which may wait for as long as they work. */
export function settingsOf(url: string, isPatient = false): pg.ClientConfig {
  const withinMs = isPatient ? 0 : QUERY_WITHIN_MS;
  return {
    connectionString: url,
    application_name: 'writecheck',
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    query_timeout: withinMs,
    // Once its caller stops waiting, the server need not finish either.
    statement_timeout: withinMs,
    idle_in_transaction_session_timeout: withinMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    types,
  };
}

/** Runs one statement; a single statement is its own transaction. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

export interface Connections {
  readonly query: Query;
  /** Several statements, all or nothing. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function queryOn(client: Pick<pg.ClientBase, 'query'>): Query {
  return async <Row>(text: string, values: readonly unknown[] = []) =>
    (await client.query(text, values as unknown[])).rows as Row[];
}

/** A few connections for everything off the path of a check. Rejects only with `StoreUnavailable`. */
export function openPool(url: string, isPatient = false): Connections {
  const pool = new pg.Pool({ ...settingsOf(url, isPatient), max: POOL_MAX, idleTimeoutMillis: IDLE_MS });
  // A connection that broke while unused is already gone from the pool; the next call opens another.
  pool.on('error', () => undefined);
  // One that breaks in use fails its query too; without a listener, its own error event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  let isClosed = false;
  const on = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    if (isClosed) throw unavailable('closed');
    let client: pg.PoolClient | null = null;
    try {
      client = await pool.connect();
      const done = await work(client);
      client.release();
      return done;
    } catch (thrown) {
      // A failed connection is not worth keeping.
      client?.release(true);
      throw toUnavailable(thrown);
    }
  };
  return {
    query: (text, values) => on((client) => queryOn(client)(text, values)),
    transaction: (work) =>
      on(async (client) => {
        await client.query('BEGIN');
        const done = await work(queryOn(client));
        await client.query('COMMIT');
        return done;
      }),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await pool.end().catch(() => undefined);
    },
  };
}

/** A dedicated connection that is opened when needed, and again after any failure. */
export class LastingConnection {
  readonly #url: string;
  readonly #isPatient: boolean;
  readonly #prepare: (client: pg.Client) => Promise<void>;
  #client: pg.Client | null = null;
  #isClosed = false;

  /** `prepare` runs first on every new connection. */
  constructor(
    url: string,
    prepare: (client: pg.Client) => Promise<void> = async () => undefined,
    isPatient = false,
  ) {
    this.#url = url;
    this.#isPatient = isPatient;
    this.#prepare = prepare;
  }

  async get(): Promise<pg.Client> {
    if (this.#isClosed) throw unavailable('closed');
    if (this.#client !== null) return this.#client;
    const client = new pg.Client(settingsOf(this.#url, this.#isPatient));
    const forget = (): void => {
      if (this.#client === client) this.#client = null;
    };
    client.on('error', forget);
    client.on('end', forget);
    try {
      await client.connect();
      await this.#prepare(client);
    } catch (thrown) {
      abandon(client);
      throw toUnavailable(thrown);
    }
    if (this.#isClosed) {
      abandon(client);
      throw unavailable('closed');
    }
    this.#client = client;
    return client;
  }

  /** After a failure, nothing of this connection is trusted, and nobody waits for its end. */
  drop(): void {
    const client = this.#client;
    this.#client = null;
    if (client !== null) abandon(client);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => undefined);
  }
}

/** Skips the protocol's goodbye, which a hanging server would never answer. */
export function abandon(client: pg.Client): void {
  client.on('error', () => undefined);
  (
    client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }
  ).connection.stream.destroy();
}
