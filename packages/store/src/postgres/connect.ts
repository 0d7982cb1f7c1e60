/** Opens connections: to the host that takes writes, and through a pooler that keeps no session. */
import pg from 'pg';
import { type DatabaseHost, readDatabaseUrl } from '../database-url.ts';
import { unavailable } from './postgres-failure.ts';

/** Rejects with `StoreUnavailable` if the URL cannot be used. */
function hostsOf(url: string): readonly DatabaseHost[] {
  const read = readDatabaseUrl(url);
  if ('fault' in read) throw unavailable('io', undefined, `the URL of the database ${read.fault}`);
  return read.hosts;
}

/** The place of the host that last took writes, by URL; that host is tried first. */
const preferred = new Map<string, number>();

/** Tries one host after another; rejects with the error of the first. */
export async function onFirstHost<T>(
  url: string,
  attempt: (host: DatabaseHost, place: number) => Promise<T>,
): Promise<T> {
  const hosts = hostsOf(url);
  const first = preferred.get(url) ?? 0;
  let failure: unknown;
  for (let tried = 0; tried < hosts.length; tried += 1) {
    const place = (first + tried) % hosts.length;
    try {
      const done = await attempt(hosts[place]!, place);
      preferred.set(url, place);
      return done;
    } catch (thrown) {
      failure ??= thrown;
    }
  }
  throw failure;
}

export function connectTo(url: string, settings: pg.ClientConfig): Promise<pg.Client> {
  return onFirstHost(url, (host) => connectToHost(url, host, settings));
}

async function connectToHost(url: string, host: DatabaseHost, settings: pg.ClientConfig): Promise<pg.Client> {
  const client = newClient(url, host, settings);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await prepareSession(url, client);
    return client;
  } catch (thrown) {
    abandon(client);
    if (!isPooled(url) && isPoolerRefusal(thrown)) {
      notePooled(url);
      return connectToHost(url, host, settings);
    }
    throw thrown;
  }
}

function newClient(url: string, host: DatabaseHost, settings: pg.ClientConfig): pg.Client {
  try {
    return new ReplicatedClient(configOf(url, host, settings));
  } catch (thrown) {
    throw unavailable('io', thrown, 'the URL of the database cannot be read; check its parameters');
  }
}

export function configOf(url: string, host: DatabaseHost, settings: pg.ClientConfig): pg.ClientConfig {
  const config: pg.ClientConfig = { ...settings, connectionString: host.url, ssl: host.tls };
  if (isPooled(url)) {
    delete config.statement_timeout;
    delete config.idle_in_transaction_session_timeout;
  }
  return config;
}

/**
 * INVARIANT: whatever the server or the role has set, a commit waits until it is durable, and the server warns if that
 * wait is cancelled: see `ReplicatedClient`. Until the transaction ends if `isLocal`; `remote_apply` waits for more.
 */
function durable(isLocal: boolean): string {
  return `set_config('client_min_messages', 'warning', ${isLocal}), set_config('synchronous_commit',
    CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, ${isLocal})`;
}

/** Select it within a transaction. */
export const DURABLE = durable(true);

/**
 * No function of another schema takes the place of PostgreSQL's own, hidden rows are an error, and a list may hold nulls,
 * whatever the server, the database, the role or the URL have set, now or later.
 */
const SESSION = `SET search_path = pg_catalog, pg_temp; SET row_security = off; SET array_nulls = on; SELECT ${durable(false)}`;

/** Also checks for a standby if the URL has several hosts: the first that can be reached may be one. */
export async function prepareSession(url: string, client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  if (!isPooled(url)) await client.query(SESSION);
  if (hostsOf(url).length === 1) return;
  const { rows } = await client.query(
    "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS refuses",
  );
  if (rows[0].refuses) throw unavailable('read_only');
}

/**
 * URLs that lead to a pooler such as PgBouncer, which may run each transaction on another connection to the
 * server. No session state works there: timeouts set at the start, named statements, notifications.
 */
const pooled = new Set<string>();

export function isPooled(url: string): boolean {
  return pooled.has(url);
}

export function notePooled(url: string): void {
  pooled.add(url);
}

function isPoolerRefusal(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.includes('unsupported startup parameter');
}

/**
 * If somebody cancels a commit that waits for its standby, the server warns and reports success, although only the
 * primary has it. INVARIANT: such a commit fails here, so nothing is allowed that a failover would lose.
 */
export class ReplicatedClient extends pg.Client {
  #isUnreplicated = false;

  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('notice', ({ routine }) => {
      if (routine === 'SyncRepWaitForLSN') this.#isUnreplicated = true;
    });
  }

  override query = (async (...args: Parameters<pg.Client['query']>) => {
    const result = await super.query(...args);
    if (!this.#isUnreplicated) return result;
    abandon(this);
    throw unavailable('unknown', new Error('the wait for the standby was cancelled'));
  }) as unknown as pg.Client['query'];
}

/** Skips the protocol's goodbye, to which a hanging server would never respond. */
export function abandon(client: pg.Client): void {
  client.on('error', () => undefined);
  (
    client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }
  ).connection.stream.destroy();
}
