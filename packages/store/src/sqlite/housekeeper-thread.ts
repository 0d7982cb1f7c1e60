/** The thread off the hot path: it moves the write-ahead log into the database and fills the search index. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { CATCH_UP_MS_MAX, catchUpWithin } from '../index/catch-up.ts';
import { repeat, restAfter } from '../index/pace.ts';
import type { IndexStep } from '../index/rebuild-index.ts';
import { countDecisions, listDecisions, usageByDay } from '../index/search-decisions.ts';
import type { ReviewQuery } from '../port/reviews.ts';
import type { DecisionQuery, Prunable } from '../port.ts';
import { entriesAt } from '../tables/entries-at.ts';
import { notableEntries } from '../tables/log.ts';
import type { Read } from '../tables/operation.ts';
import { listReviews } from '../tables/reviews.ts';
import { lowerPriority } from '../threads/low-priority.ts';
import { performOn, serveCalls } from '../threads/serve-calls.ts';
import { type Db, openReader, openWriter } from './open-database.ts';
import { prepareReads } from './run-operation.ts';
import { advanceGeneration, SameFiles } from './same-files.ts';
import { indexWords, openAllows, workspaceNumber } from './search-decisions.ts';
import { openSearch, prepareIndexing, unindex } from './search-index.ts';
import { toUnavailable, unavailable } from './store-failure.ts';
import type { ThreadData } from './thread-data.ts';

const { folder, footprint } = workerData as ThreadData;
const same = new SameFiles(footprint);

const IDLE_MS = 100;
/** How long one step of a rebuild may take before it reports. */
const STEP_MS = 500;

/** Often enough to keep the write-ahead log small, rarely enough that its syncs do not compete with the commits'. */
const CHECKPOINT_EVERY_MS = 400;
/** Commits wait a moment once the write-ahead log has this many pages, so that it restarts at its beginning. */
const WAL_PAGES_MAX = 2_048;

/**
 * A little niceness only, because callers that list decisions wait for this thread, and sometimes a commit waits for
 * its checkpoint.
 */
const NICENESS = 5;

interface Open {
  readonly checkpointer: Db;
  readonly main: Db;
  readonly search: Db;
  readonly indexNext: () => boolean;
}
let open: Open | null = null;
let checkpointedVersion: unknown = null;
let checkpointedAtMs = 0;

function opened(): Open {
  if (open !== null) return open;
  const checkpointer = openWriter(folder, same);
  // No caller waits for its writes, and a checkpoint syncs anyway.
  checkpointer.pragma('synchronous = NORMAL');
  const main = openReader(folder);
  const identity = main.prepare('SELECT id FROM identity').pluck().get() as string;
  const search = openSearch(folder, identity);
  open = { checkpointer, main, search, indexNext: prepareIndexing(main, search) };
  return open;
}

function closeConnections(): void {
  for (const db of [open?.search, open?.main, open?.checkpointer]) {
    try {
      db?.close();
    } catch {
      // It is reopened when it is next needed.
    }
  }
  open = null;
  // Another connection starts its own count.
  checkpointedVersion = null;
}

/** Indexes up to the log's end as of this call. Chasing the moving end would never finish under load. */
async function catchUp(withinMs = Number.POSITIVE_INFINITY): Promise<Open> {
  const end = endOfLog(opened());
  if (!(await catchUpWithin(withinMs, indexNext, () => indexed(opened()) >= end)))
    throw unavailable('behind');
  return opened();
}

/** The index for lists and counts: complete, or refused. */
async function caughtUp(): Promise<Db> {
  return (await catchUp(CATCH_UP_MS_MAX)).search;
}

async function searched<Found>(operation: (search: Db) => Read<Found>): Promise<Found> {
  const search = await caughtUp();
  return prepareReads(search)(operation(search));
}

function indexNext(): boolean {
  return opened().indexNext();
}

function endOfLog({ main }: Open): number {
  return main.prepare('SELECT coalesce(max(base + size), 0) FROM log').pluck().get() as number;
}

function indexed({ search }: Open): number {
  return search.prepare('SELECT position FROM progress').pluck().get() as number;
}

function behind(files: Open): number {
  const count = files.main
    .prepare('SELECT coalesce(sum(max(0, min(size, base + size - ?))), 0) FROM log')
    .pluck();
  return count.get(indexed(files)) as number;
}

interface Progress {
  readonly log: number;
  readonly checkpointed: number;
}

/** INVARIANT: a database that was overwritten is not mixed with our pages from the write-ahead log. */
function prepareCheckpoint(checkpointer: Db): void {
  same.require(checkpointer);
  try {
    advanceGeneration(checkpointer);
  } catch (thrown) {
    // Commits go first; the next checkpoint will do.
    if (toUnavailable(thrown).why !== 'busy') throw thrown;
  }
}

function checkpoint({ checkpointer }: Open): void {
  if (performance.now() - checkpointedAtMs < CHECKPOINT_EVERY_MS) return;
  checkpointedAtMs = performance.now();
  const version = checkpointer.pragma('data_version', { simple: true });
  if (version === checkpointedVersion) return;
  checkpointedVersion = version;
  const [before] = checkpointer.pragma('wal_checkpoint(NOOP)') as Progress[];
  // Another process was faster.
  if (before?.log === before?.checkpointed) return;
  prepareCheckpoint(checkpointer);
  const [result] = checkpointer.pragma('wal_checkpoint(PASSIVE)') as Progress[];
  // A passive checkpoint never catches up with a busy writer; after it, little is left to do while commits wait.
  if (result !== undefined && result.log > WAL_PAGES_MAX) checkpointBriefly(checkpointer, 'RESTART');
}

const READERS_WAIT_MS = 50;

/** Both kinds hold the lock of the writer while they wait for readers, so commits wait with them. */
function checkpointBriefly(db: Db, kind: 'RESTART' | 'TRUNCATE'): boolean {
  const usualMs = db.pragma('busy_timeout', { simple: true });
  db.pragma(`busy_timeout = ${READERS_WAIT_MS}`);
  try {
    const [done] = db.pragma(`wal_checkpoint(${kind})`) as { readonly busy: number }[];
    return done?.busy === 0;
  } finally {
    db.pragma(`busy_timeout = ${usualMs}`);
  }
}

async function keepHouse(): Promise<number> {
  try {
    const files = opened();
    checkpoint(files);
    const start = performance.now();
    return indexNext() ? restAfter(behind(files), performance.now() - start, IDLE_MS) : IDLE_MS;
  } catch (thrown) {
    closeConnections();
    throw thrown;
  }
}

const EMPTY_WAL_TRIES = 100;
const EMPTY_WAL_REST_MS = 50;

/**
 * INVARIANT: the write-ahead log holds nothing from before. A reading process may keep it for a moment; an
 * erasure that could not empty it fails, so that it is repeated.
 */
async function emptyWal(db: Db): Promise<void> {
  for (let tries = 0; tries < EMPTY_WAL_TRIES; tries += 1) {
    if (checkpointBriefly(db, 'TRUNCATE')) return;
    await sleep(EMPTY_WAL_REST_MS);
  }
  throw unavailable('busy');
}

const operations = {
  /** Runs until nothing is left, for a caller that is about to remove entries. */
  async catchUp(): Promise<void> {
    await catchUpWithin(Number.POSITIVE_INFINITY, indexNext, () => false);
  },
  indexBehind: (): number => behind(opened()),
  entriesAt: (workspace: string, atMs: number) => prepareReads(opened().main)(entriesAt(workspace, atMs)),
  notableEntries: (log: string, from: number, workspaces: readonly string[]) =>
    prepareReads(opened().main)(notableEntries(log, from, workspaces)),
  listReviews: (query: ReviewQuery) => prepareReads(opened().main)(listReviews(query)),
  listDecisions: (query: DecisionQuery) =>
    searched((search) => listDecisions(query, indexWords(search, query.workspace))),
  async openAllows(workspace: string, fromMs: number, atMs: number) {
    const search = await caughtUp();
    return openAllows(opened().main, search, workspace, fromMs, atMs);
  },
  usageByDay: (workspace: string, period: string) =>
    searched((search) => usageByDay(workspaceNumber(search, workspace), period)),
  countDecisions: (workspace: string, fromMs: number, toMs: number, step: 'hour' | 'day') =>
    searched((search) => countDecisions(workspaceNumber(search, workspace), fromMs, toMs, step)),
  clearIndex(): void {
    const { search } = opened();
    search
      .transaction(() => {
        search.exec(
          'DELETE FROM decision; DELETE FROM decision_kind; DELETE FROM daily; DELETE FROM hourly; DELETE FROM workspace; UPDATE progress SET position = 0',
        );
      })
      .immediate();
  },
  /** Indexes in short transactions, and replies now and then. */
  async indexStep(): Promise<IndexStep> {
    for (const untilMs = performance.now() + STEP_MS; performance.now() < untilMs && indexNext(); );
    const files = opened();
    const total = files.main.prepare('SELECT coalesce(sum(size), 0) FROM log').pluck().get() as number;
    return { indexed: total - behind(files), total };
  },
  /**
   * Called after the segments were emptied: removes the same entries from the index, and makes overwritten pages
   * unreadable.
   */
  async prune(found: Prunable, kept: readonly string[]): Promise<void> {
    const { search, checkpointer } = await catchUp();
    unindex(search, found, kept);
    prepareCheckpoint(checkpointer);
    for (const db of [search, checkpointer]) await emptyWal(db);
  },
  close(): void {
    stop();
    closeConnections();
  },
};

serveCalls({
  port: parentPort!,
  perform: performOn(operations),
  toUnavailable,
  failed({ why }) {
    if (why !== 'busy' && why !== 'behind') closeConnections();
  },
});
// A caller waits for each commit, so a commit must not wait for this thread.
lowerPriority(NICENESS);
const stop = repeat(keepHouse);
