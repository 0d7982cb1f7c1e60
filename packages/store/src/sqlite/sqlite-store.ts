/** The store on one SQLite file: reads here, writes and syncs on the writer thread, the rest on the housekeeper's. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppendGuard } from '../append-guard.ts';
import { assembleStore } from '../assemble-store.ts';
import { ChangeWatcher } from '../change-watcher.ts';
import type { CommittedTogether } from '../port/decisions.ts';
import type { NewOutcome } from '../port/outcomes.ts';
import type { ConnectTo, StoreSharing } from '../port/sharing.ts';
import type { CommitRequest, Store } from '../port.ts';
import type { Run } from '../tables/operation.ts';
import type { ThreadCalls } from '../threads/thread-calls.ts';
import { PortCall, WorkerCall } from '../threads/thread-calls.ts';
import { prepareTrail } from './changes.ts';
import {
  finishGroup,
  type PackedResults,
  packRequests,
  unpackRecorded,
  unpackResults,
} from './commit-wire.ts';
import { answerRows, folderFigures } from './figures.ts';
import { prepareFindDecision } from './find-decision.ts';
import { type Db, openLog } from './open-database.ts';
import { openFirst, openHeld } from './open-held.ts';
import { readsOn } from './run-operation.ts';
import { toUnavailable, unavailable } from './store-failure.ts';
import type { ThreadData } from './thread-data.ts';

/**
 * Opens (and on first use creates) the store in this folder. Rejects with `StoreUnavailable`. `storesAtMost`: the bytes a
 * day of a workspace that has ceilings; null if none has.
 */
export async function openSqliteStore(folder: string, storesAtMost: number | null = null): Promise<Store> {
  const { db, footprint } = openFirst(folder);
  const data: ThreadData = { folder, footprint, log: openLog(db), storesAtMost };
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
    folder,
    attach: (to, port) => threads[to].attach(port),
  };
  return { ...storeOn({ db, folder }, threads, 'commitAlone'), sharing };
}

/**
 * The same store in another thread of the same process: it reads by itself, and writes through the threads of the one
 * that was opened first. Rejects with `StoreUnavailable`.
 */
export async function joinSqliteStore(folder: string, connectTo: ConnectTo): Promise<Store> {
  const { db } = openHeld(folder);
  const threads = {
    writer: new PortCall(() => connectTo('writer'), unavailable),
    housekeeper: new PortCall(() => connectTo('housekeeper'), unavailable),
  };
  return storeOn({ db, folder }, threads, 'commit');
}

interface StoreThreads {
  readonly writer: ThreadCalls;
  readonly housekeeper: ThreadCalls;
}

interface StoreFiles {
  readonly db: Db;
  readonly folder: string;
}

function storeOn(
  { db, folder }: StoreFiles,
  { writer, housekeeper }: StoreThreads,
  commitBy: 'commit' | 'commitAlone',
): Store {
  const log = openLog(db);
  const guard = new AppendGuard();
  const committer = new Committer(writer, log, commitBy);
  const watcher = new ChangeWatcher(prepareTrail(db));
  const operate: Run = (name, _, args) => writer.call('operate', name, ...args);
  const read = readsOn(db);
  const store = assembleStore({
    logPlace: { kind: 'sqlite', folder },
    read,
    write: operate,
    append: operate,
    guard,
    indexer: housekeeper,
    unindex: (found, { keptDecisions }) => housekeeper.call('prune', found, [...keptDecisions]),
    paced,
    probe: () => writer.call('probe'),
    toUnavailable,
  });
  const keep = <
    Name extends 'listReviews' | 'listDecisions' | 'openAllows' | 'usageByDay' | 'countDecisions',
  >(
    name: Name,
  ) => ((...args: readonly unknown[]) => housekeeper.call(name, ...args)) as Store[Name];
  const find = prepareFindDecision(db);
  return {
    ...store,
    log,
    // Several threads gain more from larger groups than from an early start: the others keep the writer busy.
    ...(commitBy === 'commitAlone' ? { commitsBeside: true as const } : {}),
    commitFindsTwins: true,
    commit: (requests, reports) => guard.run(() => committer.commit(requests, reports)),
    continueLogs: (continuations) => writer.call('continueLogs', continuations) as Promise<boolean>,
    // Only one machine has the file; every commit checks that it is the same file.
    lostEntries: async () => [],
    reportLost: async () => undefined,
    heldUntilMs: async () => null,
    async findDecision(workspace, decisionId) {
      try {
        return find(workspace, decisionId);
      } catch (thrown) {
        throw toUnavailable(thrown);
      }
    },
    look: async () => ({ newestAtMs: await store.newestAtMs(), clockMs: null }),
    // These take long, so they are read on the thread that no check waits for.
    listReviews: keep('listReviews'),
    listDecisions: keep('listDecisions'),
    openAllows: keep('openAllows'),
    usageByDay: keep('usageByDay'),
    countDecisions: keep('countDecisions'),
    async figures() {
      const indexBehind = (await housekeeper.call('indexBehind')) as number;
      return { ...(await folderFigures(folder)), indexBehind, idempotencyRows: answerRows(db) };
    },
    watch: watcher.watch,
    async close() {
      watcher.stop();
      // A writing connection closes last: the last one to close moves the write-ahead log into the database.
      if (db.open) db.close();
      await housekeeper.close();
      await writer.close();
    },
  };
}

/** Rests for as long as a step took, because commits of the service wait for the same lock. */
async function paced<T>(step: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  const done = await step();
  await sleep(performance.now() - startedMs);
  return done;
}

/** Hands groups of requests to the writer thread. */
class Committer {
  readonly #writer: ThreadCalls;
  readonly #log: string;
  readonly #by: 'commit' | 'commitAlone';
  /** The buffer of the last commit, while no commit is using it. */
  #spare: SharedArrayBuffer | null = null;

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
    // A thread that writes for several must have little work for each.
    const packed = this.#by === 'commit' ? finishGroup(laidOut) : laidOut;
    const done = (await this.#writer.call(this.#by, packed)) as PackedResults;
    // INVARIANT: a thread that failed may still read its buffer, so only one that replied gives it back.
    this.#spare = packed.buffer;
    // INVARIANT: the thread replies after the sync, and an outcome is trusted only here.
    return {
      decided: unpackResults(done, requests, this.#log),
      recorded: unpackRecorded(done.recorded, outcomes),
    };
  }
}
