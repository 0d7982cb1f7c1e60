/** `writecheck audit restore` and `continue`: new logs that name, on record, the checkpoints they continue from. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailure } from '@writecheck/contract/command';
import { continuationBytes, originOf, parseEntry } from '@writecheck/ledger';
import {
  dropKeptCheckpoint,
  KEPT_CHECKPOINT,
  readKeptCheckpoint,
} from '@writecheck/service/features/audit/kept-checkpoint';
import type { Audit } from '@writecheck/service/features/audit/open-audit';
import { calledAs } from '@writecheck/service/support/called-as';
import type { Flags } from '@writecheck/service/support/config/load-config';
import type { Continuation, LogHead, Store } from '@writecheck/store/port';
import { openedAudit } from './audit-store.ts';
import { freezeRestored } from './freeze-commands.ts';
import { cancelApprovals, revokeApprovals } from './restore-reviews.ts';
import { showProgress } from './show-progress.ts';
import { onStore, print } from './store-commands.ts';

const SEGMENTS_AT_ONCE = 64;
const LOOK_EVERY_MS = 250;
const STOP_ALL = 'stop all replicas first, then try again';
const OFF_MS_MAX = 60_000;
/** Later, a log that holds only its continuation may itself come from a backup, and may have grown since. */
const REPEATED_WITHIN_MS = 10 * 60_000;

/** May be interrupted and repeated: all logs are continued together, and repeating the rest changes nothing. */
export async function restoreCommand(
  options: Flags & { readonly freeze?: boolean; readonly keepLimits?: boolean },
): Promise<void> {
  let isContinued = false;
  await onStore(
    options,
    async (store, config) => {
      await requireNoReplica(store);
      const { notary } = await openedAudit(config, store, true);
      const grown = await grownLogs(store);
      if (grown.length === 0) {
        await requireOwnFolder(store, config.data);
        await store.continueLogs([]);
        dropKeptCheckpoint(config.data);
        print(`log \`${store.log}\` is empty: there is nothing to continue, the service can start`);
        return;
      }
      await revokeApprovals(store, Date.now());
      // Draws of the lost part are lost: a limit whose window is open counts as used up until it ends.
      const restoredMs = Math.max(Date.now(), ...grown.map(({ newestAtMs }) => newestAtMs));
      await store.doubtDraws(options.keepLimits === true ? null : restoredMs);
      // Beside a restored SQLite file there may be an index of another state; PostgreSQL restores both together.
      if (store.logPlace.kind === 'sqlite')
        await store.rebuildIndex(showProgress('rebuilding the search index'));
      isContinued = true;
      const isLossKnown = (await store.lostEntries()).length > 0;
      if (!isLossKnown && (await isContinuedAlready(store, grown))) {
        await store.continueLogs([]);
        const logs = grown.map(({ log }) => `\`${log}\``).join(', ');
        print(`already restored: nothing was recorded in ${logs} since, so no other log begins`);
        return;
      }
      const lines = await continueLogs(store, notary, grown, ({ newestAtMs }) =>
        Math.max(Date.now(), newestAtMs),
      );
      print(
        ...lines,
        'what was recorded after this backup is missing: anyone who kept a later checkpoint will see that',
      );
    },
    { alone: true },
  );
  if (!isContinued) return;
  try {
    await finishRestore(options);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new CommandFailure(`${why}\nthe restore is not finished: run it again before any replica starts`);
  }
}

/** INVARIANT: everything that stops writes comes before anything else that can fail. */
async function finishRestore(options: Flags & { readonly freeze?: boolean }): Promise<void> {
  // Only a reopened store appends to the log that continues the old one.
  await onStore(options, async (store, config) => {
    if (options.freeze !== false) {
      const frozen = await freezeRestored(store);
      for (const { id, workspace } of frozen) print(`${id} stops ${workspace}`);
      if (frozen.length > 0)
        print(
          'every write is paused now; once you know what happened after the backup, lift one with',
          `  ${calledAs()} freeze lift ID --reason TEXT`,
          `or all of them with  ${calledAs()} freeze lift --restored --reason TEXT`,
        );
    }
    const count = await cancelApprovals(store, Math.max(Date.now(), await store.newestAtMs()));
    const reviews = count === 1 ? 'approved review' : 'approved reviews';
    if (count > 0) print(`cancelled ${count} ${reviews}: the backup does not show which were used after it`);
    // Replaces the checkpoint in this folder, which may be damaged or belong to the lost part.
    await (await openedAudit(config, store, true)).sign();
    print('start all replicas now; their data folders stay as they are');
  });
}

/** Begins new logs with the right time after a clock was ahead; the records of the old logs stay. */
export async function continueCommand(options: Flags): Promise<void> {
  await onStore(
    options,
    async (store, config) => {
      await requireNoReplica(store);
      const { clockMs } = await store.look();
      const nowMs = Date.now();
      if (clockMs !== null && Math.abs(clockMs - nowMs) > OFF_MS_MAX) {
        throw new CommandFailure('the clocks of this machine and of the database differ; set them first');
      }
      const ahead = (await grownLogs(store)).filter(({ newestAtMs }) => newestAtMs > nowMs);
      if (ahead.length === 0) {
        print('no record is ahead of the clock: there is nothing to continue');
        return;
      }
      const { notary } = await openedAudit(config, store);
      print(
        ...(await continueLogs(store, notary, ahead, () => nowMs)),
        `the records that are ahead stay; new ones begin at ${new Date(nowMs).toISOString()}`,
        'allows among them cannot be redeemed or replayed; start all replicas now',
      );
    },
    { alone: true },
  );
}

/** Waits until the lease of a killed replica ends. */
async function requireNoReplica(store: Store): Promise<void> {
  const first = await store.heldUntilMs();
  for (let until = first; until !== null; until = await store.heldUntilMs()) {
    if (until > first!) throw new CommandFailure(`a replica still runs on this database; ${STOP_ALL}`);
    await sleep(LOOK_EVERY_MS);
  }
}

/**
 * An empty database that does not even have the log of the folder's checkpoint is not an old backup. INVARIANT:
 * it is no reason to delete the only local proof that entries are missing.
 */
async function requireOwnFolder(store: Store, folder: string): Promise<void> {
  const kept = readKeptCheckpoint(folder);
  if (kept === null || (await store.logs()).some(({ log }) => kept.note.startsWith(`${originOf(log)}\n`)))
    return;
  throw new CommandFailure(
    `the database is empty, but a checkpoint of another log is kept in \`${join(folder, KEPT_CHECKPOINT)}\`; restore the backup into the database first, or name its own folder with --data. To start over, move that file away and keep it`,
  );
}

async function grownLogs(store: Store): Promise<readonly LogHead[]> {
  const heads = await store.logs();
  return heads.filter(({ log, size, isOpen = log === store.log }) => isOpen && size > 0);
}

/** Whether these logs hold only what a restore wrote a moment ago. */
async function isContinuedAlready(store: Store, heads: readonly LogHead[]): Promise<boolean> {
  for (const { log, size } of heads) {
    for (let at = 0; at < size; ) {
      for (const { entries } of await store.segments(log, at, SEGMENTS_AT_ONCE)) {
        for (const { leaf } of entries) {
          const entry = parseEntry(leaf);
          const isOfRestore =
            at === 0
              ? entry?.kind === 'continuation' &&
                Date.now() - Date.parse(entry.timestamp) < REPEATED_WITHIN_MS
              : (entry?.kind === 'review' && entry.event === 'cancelled' && entry.by === null) ||
                (entry?.kind === 'freeze.created' && entry.by.kind === 'operator');
          if (!isOfRestore) return false;
          at += 1;
        }
      }
    }
  }
  return true;
}

/** All of them or none. */
async function continueLogs(
  store: Store,
  notary: Audit['notary'],
  heads: readonly LogHead[],
  atMsOf: (head: LogHead) => number,
): Promise<readonly string[]> {
  const lines: string[] = [];
  const continuations: Continuation[] = [];
  for (const head of heads) {
    const checkpoint = (await notary.newest(head.log))!;
    const log = `log-${randomBytes(8).toString('hex')}`;
    const atMs = atMsOf(head);
    const timestamp = new Date(atMs).toISOString();
    const leaf = continuationBytes({ kind: 'continuation', log, timestamp, checkpoint: checkpoint.note });
    continuations.push({ log, leaf, atMs, from: { log: head.log, size: checkpoint.size } });
    lines.push(
      `log \`${log}\` continues log \`${head.log}\` from its checkpoint of ${checkpoint.size} entries`,
    );
  }
  if (!(await store.continueLogs(continuations))) {
    throw new CommandFailure(`the log has grown in the meantime; ${STOP_ALL}`);
  }
  return lines;
}
