/** The store on one SQLite file: reads here, writes and syncs on the writer thread, the rest on the housekeeper's. */
import { AppendGuard } from '../append-guard.ts';
import { Archive } from '../archive/archive.ts';
import { archiveLogs } from '../archive/write-archive.ts';
import { rebuildDraws } from '../index/rebuild-draws.ts';
import { rebuildIndex } from '../index/rebuild-index.ts';
import type { ArchivePlace } from '../port/archive.ts';
import type { CommittedTogether } from '../port/decisions.ts';
import type { NewOutcome } from '../port/outcomes.ts';
import type { ReviewPage } from '../port/reviews.ts';
import type { ConnectTo, SharedPlace, StoreSharing } from '../port/sharing.ts';
import type { NotableEntries } from '../port/webhooks.ts';
import type { CommitRequest, DailyUsage, DecisionCount, DecisionPage, OpenAllows, Store } from '../port.ts';
import { eraseFound } from '../prune/erase-found.ts';
import { findPrunable } from '../prune/find-prunable.ts';
import { methodsOf } from '../tables/operation.ts';
import { APPENDING } from '../tables/operations.ts';
import type { ThreadCalls } from '../thread-calls.ts';
import { PortCall, WorkerCall } from '../thread-calls.ts';
import { prepareReadChanges } from './changes.ts';
import {
  finishGroup,
  type PackedOutcomes,
  packRequests,
  unpackOutcomes,
  unpackRecorded,
} from './commit-wire.ts';
import { folderFigures } from './figures.ts';
import { openSqliteLog } from './log-reader.ts';
import type { Db } from './open-database.ts';
import { openFirst, openHeld } from './open-held.ts';
import { openLog } from './operations.ts';
import { pruneStore } from './prune-store.ts';
import { StoreCalls } from './store-calls.ts';
import { toUnavailable, unavailable } from './store-failure.ts';
import type { ThreadData } from './thread-data.ts';
import { watchChanges } from './watch-changes.ts';

/** Opens (and on first use creates) the store in this folder. Rejects with `StoreUnavailable`. */
export async function openSqliteStore(folder: string, archive: ArchivePlace | null = null): Promise<Store> {
  const { db, footprint } = openFirst(folder);
  const data: ThreadData = { folder, footprint, log: openLog(db), archive };
  const thread = { from: import.meta.url, data, unavailable };
  const writer = new WorkerCall({ ...thread, name: './writer-thread' });
  try {
    await writer.call('probe');
  } catch (thrown) {
    db.close();
    await writer.close();
    throw thrown;
  }
  const housekeeper = new WorkerCall({ ...thread, name: './housekeeper-thread', isLasting: true });
  const threads = { writer, housekeeper };
  const sharing: StoreSharing = {
    place: { kind: 'sqlite', folder, footprint },
    attach: (to, port) => threads[to].attach(port),
  };
  return { ...storeOn({ db, folder, archive }, threads, 'commitAlone'), sharing };
}

/**
 * The same store in another thread of the same process: it reads by itself, and writes through the threads of the one
 * that was opened first. Rejects with `StoreUnavailable`.
 */
export async function joinSqliteStore(
  { folder }: SharedPlace,
  archive: ArchivePlace | null,
  connectTo: ConnectTo,
): Promise<Store> {
  const { db } = openHeld(folder);
  const threads = {
    writer: new PortCall(() => connectTo('writer'), unavailable),
    housekeeper: new PortCall(() => connectTo('housekeeper'), unavailable),
  };
  return storeOn({ db, folder, archive }, threads, 'commit');
}

interface StoreThreads {
  readonly writer: ThreadCalls;
  readonly housekeeper: ThreadCalls;
}

interface StoreFiles {
  readonly db: Db;
  readonly folder: string;
  readonly archive: ArchivePlace | null;
}

function storeOn(
  { db, folder, archive: place }: StoreFiles,
  { writer, housekeeper }: StoreThreads,
  commitBy: 'commit' | 'commitAlone',
): Store {
  const archive = new Archive(place);
  const calls = new StoreCalls(db, writer, archive);
  const { reads, writes } = calls;
  const guard = new AppendGuard();
  const log = openLog(db);
  const committer = new Committer(writer, log, commitBy);
  const watcher = watchChanges(prepareReadChanges(db));
  const appending = methodsOf(APPENDING, (...call) => guard.run(() => calls.writeTable(...call)));
  return {
    log,
    logPlace: { kind: 'sqlite', folder, archive: place },
    // For several threads, larger groups are worth more than an early start: the others keep the writer busy.
    ...(commitBy === 'commitAlone' ? { commitsBeside: true as const } : {}),
    commitFindsTwins: true,
    commit: (requests) => guard.run(async () => (await committer.commit(requests, [])).decided),
    commitReporting: (requests, outcomes) => guard.run(() => committer.commit(requests, outcomes)),

    ...reads,
    ...writes,
    ...appending,
    guardAppending: (alarm) => guard.heed(alarm),
    async sweep(nowMs) {
      const answers = await calls.write('sweepAnswers')(nowMs);
      return answers + (await writes.sweepTables(nowMs, await calls.read('newestAtMs')()));
    },
    continueLogs: calls.write('continueLogs'),
    // One machine has the file; whether it is the same file is checked with every commit.
    lostEntries: async () => [],
    reportLost: async () => undefined,
    heldUntilMs: async () => null,
    findPrunable: (query, progress) =>
      findPrunable(
        {
          ...reads,
          logs: calls.read('logs'),
          segments: calls.readLog('segments'),
          newestAtMs: calls.read('newestAtMs'),
        },
        query,
        progress,
      ),
    prune: (found, erasure, progress) =>
      eraseFound({ ...appending, ...writes }, found, erasure, () =>
        pruneStore({ calls, housekeeper, archive }, found, progress),
      ),
    async archive(beforeMs, progress) {
      // A rebuild of the index would have to fetch what it has not read yet.
      await housekeeper.call('catchUp');
      return archiveLogs(calls.rows, archive, beforeMs, progress);
    },

    usage: calls.read('usage'),
    findAnswer: (...asked) => guard.run(() => calls.read('findAnswer')(...asked)),
    findDecision: calls.readLog('findDecision'),
    newestAtMs: calls.read('newestAtMs'),
    look: calls.read('look'),
    logs: calls.read('logs'),
    segments: calls.readLog('segments'),
    subtreeHashes: calls.read('subtreeHashes'),

    notableEntries: (log, from, workspaces) =>
      housekeeper.call('notableEntries', log, from, workspaces) as Promise<NotableEntries>,
    listReviews: (query) => housekeeper.call('listReviews', query) as Promise<ReviewPage>,
    listDecisions: (query) => housekeeper.call('listDecisions', query) as Promise<DecisionPage>,
    openAllows: (workspace, fromMs, atMs) =>
      housekeeper.call('openAllows', workspace, fromMs, atMs) as Promise<readonly OpenAllows[]>,
    usageByDay: (workspace, period) =>
      housekeeper.call('usageByDay', workspace, period) as Promise<readonly DailyUsage[]>,
    countDecisions: (workspace, fromMs, toMs, step) =>
      housekeeper.call('countDecisions', workspace, fromMs, toMs, step) as Promise<readonly DecisionCount[]>,
    rebuildIndex: (progress) => rebuildIndex(housekeeper, progress),
    async rebuildDraws() {
      const newestMs = await calls.read('newestAtMs')();
      const reading = openSqliteLog(folder, place);
      try {
        return await rebuildDraws(reading, newestMs, appending.replaceDraws);
      } finally {
        await reading.close();
      }
    },

    async figures() {
      const indexBehind = (await housekeeper.call('indexBehind')) as number;
      const idempotencyRows = await calls.read('answerRows')();
      return { ...(await folderFigures(folder)), indexBehind, idempotencyRows };
    },
    watch: watcher.watch,
    async health() {
      try {
        await calls.write('probe')();
        return { kind: 'ok' };
      } catch (thrown) {
        return { kind: 'failing', why: toUnavailable(thrown).message };
      }
    },
    async close() {
      watcher.stop();
      // A writing connection closes last: the last one to close moves the write-ahead log into the database.
      if (db.open) db.close();
      await housekeeper.close();
      await writer.close();
    },
  };
}

/** Hands groups of requests to the writer thread. */
class Committer {
  readonly #writer: ThreadCalls;
  readonly #log: string;
  readonly #by: 'commit' | 'commitAlone';
  /** The buffer of the last commit, while no commit is using it. */
  #spare: ArrayBuffer | null = null;

  constructor(writer: ThreadCalls, log: string, by: 'commit' | 'commitAlone') {
    this.#writer = writer;
    this.#log = log;
    this.#by = by;
  }

  async commit(
    requests: readonly CommitRequest[],
    outcomes: readonly NewOutcome[],
  ): Promise<CommittedTogether> {
    const laidOut = packRequests(requests, this.#log, this.#spare, outcomes);
    this.#spare = null;
    // A thread that writes for several must have little to do for each.
    const packed = this.#by === 'commit' && requests.length > 0 ? finishGroup(laidOut) : laidOut;
    const { value, moved } = await this.#writer.move(this.#by, packed, packed.buffer);
    this.#spare = moved;
    // INVARIANT: the thread replies after the sync, and only here is an outcome trusted.
    const done = value as PackedOutcomes;
    return {
      decided: unpackOutcomes(done, requests, this.#log),
      recorded: unpackRecorded(done, outcomes),
    };
  }
}
