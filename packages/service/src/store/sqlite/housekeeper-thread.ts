/** The thread beside the hot path: it moves the write-ahead log into the database and fills the search index. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { AFTER_FAULT_MS, restAfter } from '../index-pace.ts';
import type { ReviewQuery } from '../port/reviews.ts';
import type { DecisionQuery, PruneQuery } from '../port.ts';
import type { WorkerReply } from '../worker-call.ts';
import { type Db, openReader, openWriter } from './open-database.ts';
import { listReviews } from './review-reads.ts';
import { advanceGeneration, type Footprint, SameFiles } from './same-files.ts';
import { countDecisions, listDecisions, usageByDay } from './search-decisions.ts';
import { openSearch, prepareIndexing, unindex } from './search-index.ts';
import { toUnavailable } from './store-failure.ts';

const { folder, footprint } = workerData as { readonly folder: string; readonly footprint: Footprint };
const port = parentPort!;
const same = new SameFiles(footprint);

const IDLE_MS = 100;
/** Often enough to keep the write-ahead log small, seldom enough that its syncs do not compete with the commits'. */
const CHECKPOINT_EVERY_MS = 400;
/** Once the write-ahead log holds this many pages, commits wait a moment so that it starts again at its beginning. */
const WAL_PAGES_MAX = 2_048;

/** Little, since whoever lists decisions waits for this thread, and at times a commit waits for its checkpoint. */
const NICENESS = 5;

/** A commit, which somebody waits for, is not to wait until this thread has had its turn on the processor. */
const giveWay = (): void => {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), NICENESS);
  } catch {
    // Only Linux gives each thread a priority of its own.
  }
};

interface Open {
  readonly checkpointer: Db;
  readonly main: Db;
  readonly search: Db;
  readonly indexNext: () => boolean;
}
let open: Open | null = null;
let timer: NodeJS.Timeout | null = null;
let checkpointedVersion: unknown = null;
let checkpointedAtMs = 0;

const opened = (): Open => {
  if (open !== null) return open;
  const checkpointer = openWriter(folder, same);
  // It writes nothing that anybody waits for, and a checkpoint syncs by itself.
  checkpointer.pragma('synchronous = NORMAL');
  const main = openReader(folder);
  const search = openSearch(folder, main.prepare('SELECT id FROM identity').pluck().get() as string);
  open = { checkpointer, main, search, indexNext: prepareIndexing(main, search) };
  return open;
};

const letGo = (): void => {
  for (const db of [open?.search, open?.main, open?.checkpointer]) {
    try {
      db?.close();
    } catch {
      // It is opened anew when it is needed next.
    }
  }
  open = null;
  // Another connection counts anew.
  checkpointedVersion = null;
};

/** With all that was in the log when it was called: who goes on until nothing is left never ends under load. */
const catchUp = (): Open => {
  const files = opened();
  const end = endOfLog(files);
  while (indexed(files) < end && files.indexNext());
  return files;
};

const endOfLog = ({ main }: Open): number =>
  main.prepare('SELECT coalesce(max(base + size), 0) FROM log').pluck().get() as number;

const indexed = ({ search }: Open): number =>
  search.prepare('SELECT position FROM progress').pluck().get() as number;

const behind = (files: Open): number => endOfLog(files) - indexed(files);

interface Progress {
  readonly log: number;
  readonly checkpointed: number;
}

/** INVARIANT: a database that was written over is not mixed with what the write-ahead log holds of ours. */
const prepareCheckpoint = (checkpointer: Db): void => {
  same.require(checkpointer);
  try {
    advanceGeneration(checkpointer);
  } catch (thrown) {
    // Commits go first; the next checkpoint counts.
    if (toUnavailable(thrown).why !== 'busy') throw thrown;
  }
};

const checkpoint = ({ checkpointer }: Open): void => {
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
  // A passive one never catches up with a busy writer; after it, little is left to do while commits wait.
  if (result !== undefined && result.log > WAL_PAGES_MAX) checkpointer.pragma('wal_checkpoint(RESTART)');
};

const tick = (): void => {
  let restMs = IDLE_MS;
  try {
    const files = opened();
    checkpoint(files);
    const start = performance.now();
    if (files.indexNext()) restMs = restAfter(behind(files), performance.now() - start, IDLE_MS);
  } catch {
    // Whoever asks for what is damaged is told; here it only means trying again.
    letGo();
    restMs = AFTER_FAULT_MS;
  }
  timer = setTimeout(tick, restMs);
};

const operations = {
  /** Until nothing is left, for whoever is about to take something away. */
  catchUp(): void {
    while (opened().indexNext());
  },
  listReviews: (query: ReviewQuery) => listReviews(opened().main, query),
  listDecisions: (query: DecisionQuery) => listDecisions(catchUp().search, query),
  usageByDay: (workspace: string, period: string) => usageByDay(catchUp().search, workspace, period),
  countDecisions: (workspace: string, fromMs: number, toMs: number, step: 'hour' | 'day') =>
    countDecisions(catchUp().search, workspace, fromMs, toMs, step),
  rebuildIndex(): number {
    const { search } = opened();
    search
      .transaction(() => {
        search.exec(
          'DELETE FROM decision; DELETE FROM daily; DELETE FROM hourly; DELETE FROM workspace; UPDATE progress SET position = 0',
        );
      })
      .immediate();
    return catchUp().search.prepare('SELECT position FROM progress').pluck().get() as number;
  },
  /** After the segments were emptied: takes the same out of the index, and moves what was overwritten out of reach. */
  prune(query: PruneQuery, kept: readonly string[]): void {
    const { search, checkpointer } = catchUp();
    unindex(search, query, kept);
    prepareCheckpoint(checkpointer);
    for (const db of [search, checkpointer]) db.pragma('wal_checkpoint(TRUNCATE)');
  },
  close(): void {
    if (timer !== null) clearTimeout(timer);
    letGo();
  },
};

port.on('message', ({ id, name, args }: { id: number; name: keyof typeof operations; args: unknown[] }) => {
  let reply: WorkerReply;
  try {
    reply = { id, kind: 'value', value: (operations[name] as (...args: unknown[]) => unknown)(...args) };
  } catch (thrown) {
    const failure = toUnavailable(thrown);
    if (failure.why !== 'busy') letGo();
    const { cause } = failure;
    reply = { id, kind: 'failed', why: failure.why, cause: cause instanceof Error ? cause.message : '' };
  }
  port.postMessage(reply);
  if (name === 'close') port.close();
});
giveWay();
tick();
