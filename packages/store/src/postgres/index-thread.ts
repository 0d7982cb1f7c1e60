/** The thread off the hot path that fills the search index, over its own connection. */
import { parentPort, workerData } from 'node:worker_threads';
import { CATCH_UP_MS_MAX, catchUpWithin } from '../index/catch-up.ts';
import { repeat, restAfter } from '../index/pace.ts';
import type { IndexStep } from '../index/rebuild-index.ts';
import { entriesAt } from '../tables/entries-at.ts';
import { notableEntries } from '../tables/log.ts';
import { performOn, serveCalls } from '../threads/serve-calls.ts';
import { BEGIN, LastingConnection, queryOn } from './connection.ts';
import { toUnavailable, unavailable } from './postgres-failure.ts';
import { runRead } from './run-operation.ts';
import { clearIndex, indexSome, pendingLogs } from './search-index.ts';

const { url, isPatient } = workerData as { readonly url: string; readonly isPatient: boolean };

const IDLE_MS = 250;
/** How long one step of a rebuild may take before it reports. */
const STEP_MS = 500;

const connection = new LastingConnection(url, undefined, isPatient);
let turn: Promise<unknown> = Promise.resolve();

/** One transaction at a time. */
function inTransaction<T>(work: Parameters<typeof run<T>>[0]): Promise<T> {
  const mine = turn.then(() => run(work));
  turn = mine.catch(() => undefined);
  return mine;
}

async function run<T>(work: (query: ReturnType<typeof queryOn>) => Promise<T>): Promise<T> {
  try {
    const client = await connection.get();
    await client.query(BEGIN);
    const done = await work(queryOn(client));
    await client.query('COMMIT');
    return done;
  } catch (thrown) {
    connection.drop();
    throw toUnavailable(thrown);
  }
}

/** Afterwards, everything committed before the call is indexed. */
async function catchUp(withinMs: number): Promise<void> {
  const pending = [...(await inTransaction(pendingLogs))];
  const step = async (): Promise<boolean> => {
    if (!(await inTransaction((query) => indexSome(query, pending[0]!)))) pending.shift();
    return true;
  };
  if (!(await catchUpWithin(withinMs, step, () => pending.length === 0))) throw unavailable('behind');
}

async function indexPending(): Promise<number> {
  const pending = await inTransaction(pendingLogs);
  const startedMs = performance.now();
  for (const log of pending) await inTransaction((query) => indexSome(query, log));
  const behind = Math.max(0, ...pending.map((log) => log.behind));
  return restAfter(behind, performance.now() - startedMs, IDLE_MS);
}

const operations = {
  catchUp: () => catchUp(Number.POSITIVE_INFINITY),
  /** Called if a caller is waiting. */
  catchUpSoon: () => catchUp(CATCH_UP_MS_MAX),
  entriesAt: (workspace: string, atMs: number) =>
    inTransaction((query) => runRead(query, entriesAt(workspace, atMs))),
  notableEntries: (log: string, from: number, workspaces: readonly string[]) =>
    inTransaction((query) => runRead(query, notableEntries(log, from, workspaces))),
  clearIndex: () => inTransaction(clearIndex),
  /** Indexes some of every log, in short transactions. */
  async indexStep(): Promise<IndexStep> {
    const untilMs = performance.now() + STEP_MS;
    for (const log of await inTransaction(pendingLogs)) {
      while (performance.now() < untilMs && (await inTransaction((query) => indexSome(query, log))));
    }
    const [row] = await inTransaction((query) =>
      query<IndexStep>(
        `SELECT coalesce(sum(i.size), 0)::bigint AS indexed, coalesce(sum(l.size), 0)::bigint AS total
         FROM writecheck.indexed i JOIN writecheck.log l ON l.number = i.log`,
      ),
    );
    return row!;
  },
  async close(): Promise<void> {
    stop();
    await turn;
    await connection.close();
  },
};

serveCalls({ port: parentPort!, perform: performOn(operations), toUnavailable });
const stop = repeat(indexPending);
