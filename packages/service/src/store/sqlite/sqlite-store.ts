/** The store on one SQLite file: reads here, writes and syncs on the writer thread, the rest on the housekeeper's. */
import { Archive, withArchive } from '../archive/archive.ts';
import type { LogRows } from '../archive/log-rows.ts';
import { settleTiles } from '../archive/settle-tiles.ts';
import { archiveLogs } from '../archive/write-archive.ts';
import type { ThreadCalls } from '../pending-calls.ts';
import type { ArchivePlace } from '../port/archive.ts';
import type { ReviewPage } from '../port/reviews.ts';
import type { ConnectTo, SharedPlace, StoreSharing } from '../port/sharing.ts';
import type { NotableEntries } from '../port/webhooks.ts';
import type { DailyUsage, DecisionCount, DecisionPage, Store } from '../port.ts';
import { PortCall } from '../port-call.ts';
import { type Append, methodsOf } from '../tables/operation.ts';
import { APPENDING, READS, WRITES } from '../tables/operations.ts';
import { WorkerCall } from '../worker-call.ts';
import { prepareReadChanges } from './changes.ts';
import { finishGroup, packRequests } from './commit-wire.ts';
import { folderFigures } from './figures.ts';
import type { IndexStep } from './housekeeper-thread.ts';
import type { Db } from './open-database.ts';
import { openFirst, openHeld } from './open-held.ts';
import { type Operations, openLog } from './operations.ts';
import { type PackedOutcomes, unpackOutcomes } from './outcome-wire.ts';
import type { PruneStep } from './prune-log.ts';
import { prepareReader, type Reader } from './reader.ts';
import { prepareReads } from './run-operation.ts';
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
  const write =
    <Name extends keyof Operations>(name: Name) =>
    (...args: Parameters<Operations[Name]>) =>
      writer.call(name, ...args) as Promise<ReturnType<Operations[Name]>>;

  const reader = prepareReader(db);
  const read =
    <Name extends keyof Reader>(name: Name) =>
    async (...args: Parameters<Reader[Name]>): Promise<ReturnType<Reader[Name]>> => {
      try {
        return (reader[name] as (...args: unknown[]) => ReturnType<Reader[Name]>)(...args);
      } catch (thrown) {
        throw toUnavailable(thrown);
      }
    };
  const runRead = prepareReads(db);
  const readTable = async (_: string, start: () => Append<unknown>) => {
    try {
      return runRead(start());
    } catch (thrown) {
      throw toUnavailable(thrown);
    }
  };
  const writeTable = (name: string, _: unknown, args: readonly unknown[]) =>
    writer.call('operate', name, ...args);
  const reads = methodsOf(READS, readTable);
  const writes = methodsOf(WRITES, writeTable);
  const archive = new Archive(place);
  /** For what may be in the archive. */
  const readLog =
    <Name extends 'segments' | 'findDecision'>(name: Name) =>
    async (...args: Parameters<Reader[Name]>): Promise<ReturnType<Reader[Name]>> => {
      try {
        const work = reader[name] as (...args: unknown[]) => ReturnType<Reader[Name]>;
        return await withArchive(archive, () => work(...args));
      } catch (thrown) {
        throw toUnavailable(thrown);
      }
    };
  const rows: LogRows = {
    logs: read('logs'),
    newestCheckpoint: reads.newestCheckpoint,
    storedRows: read('storedRows'),
    recut: write('recut'),
  };
  const log = openLog(db);
  /** The buffer of the last commit, while no commit is using it. */
  let spare: ArrayBuffer | null = null;
  const watcher = watchChanges(prepareReadChanges(db));

  return {
    log,
    logPlace: { kind: 'sqlite', folder, archive: place },
    // For several threads, larger groups are worth more than an early start: the others keep the writer busy.
    ...(commitBy === 'commitAlone' ? { commitsBeside: true as const } : {}),
    async commit(requests) {
      const laidOut = packRequests(requests, log, spare);
      spare = null;
      // A thread that writes for several must have little to do for each.
      const packed = commitBy === 'commit' ? finishGroup(laidOut) : laidOut;
      const { value, moved } = await writer.move(commitBy, packed, packed.buffer);
      spare = moved;
      // INVARIANT: the thread replies after the sync, and only here is an outcome trusted.
      return unpackOutcomes(value as PackedOutcomes, requests, log);
    },

    ...reads,
    ...writes,
    ...methodsOf(APPENDING, writeTable),
    sweep: async (nowMs) => (await write('sweepAnswers')(nowMs)) + (await writes.sweepTables(nowMs)),
    continueLogs: write('continueLogs'),
    // One machine has the file; whether it is the same file is checked with every commit.
    lostEntries: async () => [],
    reportLost: async () => undefined,
    heldUntilMs: async () => null,
    async prune(query, onlyCounts = false, progress) {
      // Entries emptied before the index has seen them would be missing from the counts.
      await housekeeper.call('catchUp');
      const reviews = await write('reviewsAtPrune')(query);
      let emptied = 0;
      let seen = 0;
      const total = (await read('logs')()).reduce((sum, { size }) => sum + size, 0);
      let forgotten: ReadonlySet<string> = await write('forgottenBefore')(query);
      for (let next: number | null = 0; next !== null; ) {
        const step: PruneStep = await write('pruneStep')(query, reviews, next, forgotten, onlyCounts);
        await settleTiles(rows, archive, step.toSettle);
        emptied += step.pruned;
        seen += step.seen;
        progress?.(Math.min(seen, total), total);
        ({ next, forgotten } = step);
      }
      if (onlyCounts) return emptied;
      for (let next: number | null = forgotten.size === 0 ? null : 0; next !== null; ) {
        next = await write('forgetAnswers')(forgotten, next);
      }
      while ((await write('dropReviews')(query, reviews)) > 0);
      // Even if nothing was left to empty: a prune that was interrupted may have ended before this.
      await write('compact')();
      await housekeeper.call('prune', query, [...reviews.keptDecisions]);
      await write('clearForgotten')(query);
      return emptied;
    },

    async archive(beforeMs, progress) {
      // A rebuild of the index would have to fetch what it has not read yet.
      await housekeeper.call('catchUp');
      const moved = await archiveLogs(rows, archive, beforeMs, progress);
      if (moved > 0) await write('compact')();
      return moved;
    },

    usage: read('usage'),
    findAnswer: read('findAnswer'),
    findDecision: readLog('findDecision'),
    newestAtMs: read('newestAtMs'),
    look: read('look'),
    logs: read('logs'),
    segments: readLog('segments'),
    subtreeHashes: read('subtreeHashes'),

    notableEntries: (log, from, workspaces) =>
      housekeeper.call('notableEntries', log, from, workspaces) as Promise<NotableEntries>,
    listReviews: (query) => housekeeper.call('listReviews', query) as Promise<ReviewPage>,
    listDecisions: (query) => housekeeper.call('listDecisions', query) as Promise<DecisionPage>,
    usageByDay: (workspace, period) =>
      housekeeper.call('usageByDay', workspace, period) as Promise<readonly DailyUsage[]>,
    countDecisions: (workspace, fromMs, toMs, step) =>
      housekeeper.call('countDecisions', workspace, fromMs, toMs, step) as Promise<readonly DecisionCount[]>,
    async rebuildIndex(progress) {
      await housekeeper.call('clearIndex');
      // Chasing the moving end of a busy log would never finish.
      for (let target: number | null = null; ; ) {
        const { indexed, total } = (await housekeeper.call('indexStep')) as IndexStep;
        target ??= total;
        progress?.(Math.min(indexed, target), target);
        if (indexed >= target) return indexed;
      }
    },

    async figures() {
      const indexBehind = (await housekeeper.call('indexBehind')) as number;
      return { ...(await folderFigures(folder)), indexBehind };
    },
    watch: watcher.watch,
    async health() {
      try {
        await write('probe')();
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
