/** The thread that holds the writing connection, so that a sync never blocks an event loop that responds. */
import { parentPort, workerData } from 'node:worker_threads';
import { StoreUnavailable } from '../port.ts';
import { performOn, serveCalls, type ThreadCall } from '../threads/serve-calls.ts';
import type { PackedGroup, PackedResults } from './commit-wire.ts';
import { type Db, openLog, openWriter } from './open-database.ts';
import { type Operations, prepareOperations } from './operations.ts';
import { SameFiles } from './same-files.ts';
import { toUnavailable, unavailable } from './store-failure.ts';
import type { ThreadData } from './thread-data.ts';

const { folder, footprint, log, storesAtMost } = workerData as ThreadData;
const files = new SameFiles(footprint);

interface Open {
  readonly db: Db;
  readonly operations: Operations;
}
let open: Open | null = null;

function opened(): Open {
  if (open === null) {
    const db = openWriter(folder, files);
    // INVARIANT: entries name the log that was open at the start, so they are never appended to one that continues it.
    if (openLog(db) !== log) {
      db.close();
      throw unavailable('replaced', new Error('another process continued the log'));
    }
    // SQLite itself would sleep for milliseconds at a time; see `patiently`.
    db.pragma('busy_timeout = 0');
    open = { db, operations: prepareOperations(db, storesAtMost) };
  }
  return open;
}

function closeConnections(): void {
  const db = open?.db;
  open = null;
  try {
    db?.close();
  } catch {
    // A connection that cannot even be closed is dropped; the next operation opens a new one.
  }
}

function perform<Value>(operation: (operations: Operations) => Value): Value {
  const { db, operations } = opened();
  const value = operation(operations);
  // INVARIANT: a write to files that are gone is never acknowledged.
  files.require(db);
  return value;
}

const LOCK_WAIT_MS = 2_000;
const SAVE_WAIT_MS = 1_000;
const LOOK_AGAIN_MS = 0.2;
/** Nobody notifies it, so waiting for it is sleeping. */
const neverNotified = new Int32Array(new SharedArrayBuffer(4));

/**
 * Moves what was acknowledged before the write-ahead log was removed into the database, while the log is still open.
 * A checkpoint elsewhere or a reader may block it for a moment, so it retries until nothing is left.
 */
function checkpointRemovedLog(): void {
  if (open === null || !files.lacksOnlyTheLog()) return;
  try {
    for (const untilMs = performance.now() + SAVE_WAIT_MS; performance.now() < untilMs; ) {
      const [{ busy, log, checkpointed }] = open.db.pragma('wal_checkpoint(PASSIVE)') as [
        { busy: number; log: number; checkpointed: number },
      ];
      if (busy === 0 && log === checkpointed) return;
      Atomics.wait(neverNotified, 0, 0, LOOK_AGAIN_MS);
    }
  } catch {
    // The operation is refused anyway.
  }
}

/**
 * Waits for the lock that another process or a checkpoint holds, nearly always for microseconds. INVARIANT: every
 * operation is one transaction that begins by taking the lock, so one that found the database busy has changed
 * nothing and may be retried.
 */
function patiently<Value>(operation: (operations: Operations) => Value): Value {
  for (const untilMs = performance.now() + LOCK_WAIT_MS; ; ) {
    try {
      return perform(operation);
    } catch (thrown) {
      if (toUnavailable(thrown).why !== 'busy' || performance.now() > untilMs) throw thrown;
      Atomics.wait(neverNotified, 0, 0, LOOK_AGAIN_MS);
    }
  }
}

interface Waiting {
  readonly packed: PackedGroup;
  readonly settle: (outcome: PackedResults | StoreUnavailable) => void;
}
let waiting: Waiting[] = [];

/** All groups that have arrived from any thread by the time this thread is free share one commit. */
function commit(packed: PackedGroup): Promise<PackedResults> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: PackedResults | StoreUnavailable): void =>
      outcome instanceof StoreUnavailable ? reject(outcome) : resolve(outcome);
    if (waiting.push({ packed, settle }) === 1) setImmediate(commitWaiting);
  });
}

function commitWaiting(): void {
  const together = waiting;
  waiting = [];
  let outcomes: readonly (PackedResults | StoreUnavailable)[];
  try {
    outcomes = patiently(({ commitTogether }) => commitTogether(together.map(({ packed }) => packed)));
  } catch (thrown) {
    const failure = toUnavailable(thrown);
    outcomes = together.map(() => failure);
  }
  for (const [i, { settle }] of together.entries()) settle(outcomes[i]!);
}

/** The groups of a single thread never meet others, and need not wait for them. */
function commitAlone(packed: PackedGroup): PackedResults {
  const [outcome] = patiently(({ commitTogether }) => commitTogether([packed]));
  if (outcome instanceof StoreUnavailable) throw outcome;
  return outcome!;
}

function performCall(call: ThreadCall): unknown {
  switch (call.name) {
    case 'close':
      return closeConnections();
    case 'commit':
      return commit(call.args[0] as PackedGroup);
    case 'commitAlone':
      return commitAlone(call.args[0] as PackedGroup);
    default:
      return patiently((operations) => performOn(operations)(call));
  }
}

serveCalls({
  port: parentPort!,
  perform: performCall,
  toUnavailable,
  failed({ why }) {
    if (why === 'replaced') checkpointRemovedLog();
    // The state of a failed connection is not worth keeping. Waiting for a lock is not a failure.
    if (why !== 'busy') closeConnections();
  },
});
