/** The thread off the hot path that fills the search index, over its own connection. */
import { parentPort, workerData } from 'node:worker_threads';
import { AFTER_FAULT_MS, restAfter } from '../index/pace.ts';
import { performOn, serveCalls } from '../serve-calls.ts';
import { LastingConnection, queryOn } from './connection.ts';
import { toUnavailable } from './postgres-failure.ts';
import { clearIndex, indexSome, type Pending, pendingLogs } from './search-index.ts';
import { notableEntries } from './webhook-reads.ts';

const { url } = workerData as { readonly url: string };

const IDLE_MS = 250;

const connection = new LastingConnection(url);
let turn: Promise<unknown> = Promise.resolve();
let timer: NodeJS.Timeout | null = null;
let isClosed = false;

/** One transaction at a time. */
function inTransaction<T>(work: Parameters<typeof run<T>>[0]): Promise<T> {
  const mine = turn.then(() => run(work));
  turn = mine.catch(() => undefined);
  return mine;
}

async function run<T>(work: (query: ReturnType<typeof queryOn>) => Promise<T>): Promise<T> {
  try {
    const client = await connection.get();
    await client.query('BEGIN');
    const done = await work(queryOn(client));
    await client.query('COMMIT');
    return done;
  } catch (thrown) {
    connection.drop();
    throw toUnavailable(thrown);
  }
}

async function catchUpWith(pending: readonly Pending[]): Promise<void> {
  for (const log of pending) while (await inTransaction((query) => indexSome(query, log)));
}

/** Afterwards, everything committed before the call is indexed. */
async function catchUp(): Promise<void> {
  return catchUpWith(await inTransaction(pendingLogs));
}

async function tick(): Promise<void> {
  let restMs = IDLE_MS;
  try {
    const pending = await inTransaction(pendingLogs);
    const startedMs = performance.now();
    for (const log of pending) await inTransaction((query) => indexSome(query, log));
    const behind = Math.max(0, ...pending.map((log) => log.behind));
    restMs = restAfter(behind, performance.now() - startedMs, IDLE_MS);
  } catch {
    // A caller that reads damaged data gets the error; here it only means trying again.
    restMs = AFTER_FAULT_MS;
  }
  if (!isClosed) timer = setTimeout(tick, restMs);
}

const operations = {
  catchUp,
  notableEntries: (log: string, from: number, workspaces: readonly string[]) =>
    inTransaction((query) => notableEntries(query, log, from, workspaces)),
  async rebuildIndex(): Promise<number> {
    await inTransaction(clearIndex);
    await catchUp();
    const [row] = await inTransaction((query) =>
      query<{ size: number }>('SELECT coalesce(sum(size), 0)::bigint AS size FROM writecheck.indexed'),
    );
    return row!.size;
  },
  async close(): Promise<void> {
    isClosed = true;
    if (timer !== null) clearTimeout(timer);
    await turn;
    await connection.close();
  },
};

serveCalls({ port: parentPort!, perform: performOn(operations), toUnavailable });
void tick();
