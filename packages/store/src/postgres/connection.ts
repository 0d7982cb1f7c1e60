/** Connections to the database: timeouts, how values are read, and a connection that reopens after a failure. */
import pg from 'pg';
import type { DatabaseHost } from '../database-url.ts';
import { Undone } from '../tables/operation.ts';
import {
  abandon,
  configOf,
  connectTo,
  DURABLE,
  isPooled,
  onFirstHost,
  prepareSession,
  ReplicatedClient,
} from './connect.ts';
import { isOvertaken, toUnavailable, unavailable } from './postgres-failure.ts';

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

/** `isPatient` is for commands, which may take any time. */
export function settings(isPatient = false): pg.ClientConfig {
  // The value is text, because the driver does not send the number 0, and the limits of the role would apply.
  const withinMs = isPatient ? ('0' as unknown as number) : QUERY_WITHIN_MS;
  return {
    application_name: 'writecheck',
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    query_timeout: isPatient ? 0 : QUERY_WITHIN_MS,
    // When the caller stops waiting, the server need not finish either.
    statement_timeout: withinMs,
    idle_in_transaction_session_timeout: withinMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    types,
  };
}

/** Each statement sees what was committed before it. */
export const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/** Begins a transaction through a pooler, where a session has no timeouts of its own. */
const BEGIN_LIMITED = `${BEGIN}; SET LOCAL statement_timeout = ${QUERY_WITHIN_MS}; SET LOCAL idle_in_transaction_session_timeout = ${QUERY_WITHIN_MS}; SELECT ${DURABLE}`;

/** Runs one statement; a single statement is its own transaction. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

export interface Connections {
  readonly query: Query;
  /** Several statements, all or nothing. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Does what `transaction` does, for operations: see `attemptOn`. */
  attempt<T>(work: (query: Query) => Promise<T>): Promise<Attempted<T>>;
  close(): Promise<void>;
}

export function queryOn(client: Pick<pg.ClientBase, 'query'>): Query {
  return async <Row>(text: string, values: readonly unknown[] = []) =>
    (await client.query(text, values as unknown[])).rows as Row[];
}

/**
 * How a transaction begins over connections of this database. INVARIANT: after waiting for a lock, an operation
 * reads what the previous one wrote, whatever the settings of the server or the role.
 */
export function beginText(url: string, isPatient = false): string {
  if (!isPooled(url)) return BEGIN;
  return isPatient ? `${BEGIN}; SELECT ${DURABLE}` : BEGIN_LIMITED;
}

type Attempted<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** The operation threw `Undone`. */
  | { readonly kind: 'undone'; readonly outcome: unknown }
  /** The server undid it because another process was faster. */
  | { readonly kind: 'overtaken' };

/** One transaction for an operation. Rejects if it is not known whether it was undone. */
export async function attemptOn<T>(
  client: Pick<pg.ClientBase, 'query'>,
  begin: string,
  work: (query: Query) => Promise<T>,
): Promise<Attempted<T>> {
  await client.query(begin);
  let value: T;
  try {
    value = await work(queryOn(client));
  } catch (thrown) {
    if (!(thrown instanceof Undone) && !isOvertaken(thrown)) throw thrown;
    await client.query('ROLLBACK');
    return thrown instanceof Undone ? { kind: 'undone', outcome: thrown.outcome } : { kind: 'overtaken' };
  }
  await client.query('COMMIT');
  return { kind: 'done', value };
}

/** A few connections for everything off the path of a check. Rejects only with `StoreUnavailable`. */
export function openPool(url: string, isPatient = false): Connections {
  /** Pools by the place of the host in the URL. */
  const pools = new Map<number, pg.Pool>();
  const poolOf = (host: DatabaseHost, place: number): pg.Pool => {
    const known = pools.get(place);
    if (known !== undefined) return known;
    const pool = new pg.Pool({
      ...configOf(url, host, settings(isPatient)),
      Client: ReplicatedClient,
      max: POOL_MAX,
      idleTimeoutMillis: IDLE_MS,
    });
    // A connection that broke while unused is already gone from the pool; the next call opens another.
    pool.on('error', () => undefined);
    // A client that breaks in use also fails its query; without a listener, its own error event would end the
    // process.
    pool.on('connect', (client) => client.on('error', () => undefined));
    pools.set(place, pool);
    return pool;
  };
  const prepared = new WeakSet<pg.PoolClient>();
  const connect = () =>
    onFirstHost(url, async (host, place) => {
      const client = await poolOf(host, place).connect();
      try {
        if (!prepared.has(client)) await prepareSession(url, client);
      } catch (thrown) {
        client.release(true);
        throw thrown;
      }
      prepared.add(client);
      return client;
    });
  let isClosed = false;
  const on = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    if (isClosed) throw unavailable('closed');
    let client: pg.PoolClient | null = null;
    try {
      client = await connect();
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
        await client.query(beginText(url, isPatient));
        const done = await work(queryOn(client));
        await client.query('COMMIT');
        return done;
      }),
    attempt: (work) => on((client) => attemptOn(client, beginText(url, isPatient), work)),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await Promise.all([...pools.values()].map((pool) => pool.end().catch(() => undefined)));
    },
  };
}

/** A dedicated connection that is opened when needed, and reopened after any failure. */
export class LastingConnection {
  readonly #url: string;
  readonly #isPatient: boolean;
  readonly #prepare: (client: pg.Client) => Promise<void>;
  #client: pg.Client | null = null;
  /** Whoever needs it meanwhile waits for the same connection. */
  #opening: Promise<pg.Client> | null = null;
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
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #open(): Promise<pg.Client> {
    let client: pg.Client;
    try {
      client = await connectTo(this.#url, settings(this.#isPatient));
    } catch (thrown) {
      throw toUnavailable(thrown);
    }
    const forget = (): void => {
      if (this.#client === client) this.#client = null;
    };
    client.on('error', forget);
    client.on('end', forget);
    try {
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

  /** Drops the connection after a failure: nothing of it is trusted, and nobody waits for its end. */
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
