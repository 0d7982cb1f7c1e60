/**
 * Assembles a store from its parts in the same way on both databases. Code that only an operator runs loads on first
 * use.
 */
import type { AppendGuard } from './append-guard.ts';
import { LogTiles } from './log/log-tiles.ts';
import type { Erasures, Prunable } from './port/erasures.ts';
import type { StoreUnavailable } from './port/failure.ts';
import type { LoggedEntry } from './port/log.ts';
import type { LogPlace } from './port/log-reading.ts';
import type { NotableEntries } from './port/webhooks.ts';
import type { Store } from './port.ts';
import type { ReviewsAtPrune } from './prune/reviews-at-prune.ts';
import { subtreeHashes } from './tables/log.ts';
import { methodsOf, type Read, type Run } from './tables/operation.ts';
import { APPENDING, INNER, READS, WRITES } from './tables/operations.ts';
import type { ThreadCalls } from './threads/thread-calls.ts';

interface StoreParts {
  readonly logPlace: LogPlace;
  readonly read: Run;
  readonly write: Run;
  readonly append: Run;
  /** Guards every append and every kept response. */
  readonly guard: AppendGuard;
  /** The thread that fills the search index. */
  readonly indexer: ThreadCalls;
  /** Removes from the index what a prune has emptied. */
  unindex(found: Prunable, reviews: ReviewsAtPrune): Promise<unknown>;
  /** Runs a step of a prune, and rests if commits wait for the same lock. */
  paced<T>(step: () => Promise<T>): Promise<T>;
  /** Fails if a write would. */
  probe(): Promise<unknown>;
  toUnavailable(thrown: unknown): StoreUnavailable;
}

export function assembleStore(parts: StoreParts) {
  const { logPlace, guard, indexer, toUnavailable } = parts;
  const append: Run = (...call) => guard.run(() => parts.append(...call));
  const outer = {
    ...methodsOf(READS, parts.read),
    ...methodsOf(WRITES, parts.write),
    ...methodsOf(APPENDING, append),
  };
  const store = {
    ...outer,
    ...methodsOf(INNER.reads, parts.read),
    ...methodsOf(INNER.writes, parts.write),
    ...methodsOf(INNER.appending, append),
  };
  const tiles = new LogTiles();
  const catchUp = () => indexer.call('catchUp');
  const erasures: Erasures = {
    async findPrunable(query, progress) {
      const { findPrunable } = await import('./prune/find-prunable.ts');
      return findPrunable(store, query, progress);
    },
    async prune(found, erasure, progress) {
      const { eraseFound } = await import('./prune/prune-store.ts');
      return eraseFound({ ...parts, store, catchUp }, found, erasure, progress);
    },
  };
  return {
    ...outer,
    logPlace,
    guardAppending: (alarm) => guard.heed(alarm),
    findAnswer: (...asked) => guard.run(() => outer.findAnswer(...asked)),
    async sweep(nowMs) {
      return (await store.sweepAnswers(nowMs)) + (await store.sweepTables(nowMs, await store.newestAtMs()));
    },
    subtreeHashes: (log, subtrees, mustReread = false) => {
      const start = (): Read<unknown> => subtreeHashes(log, subtrees, mustReread ? new LogTiles() : tiles);
      return parts.read('subtreeHashes', start, []) as ReturnType<Store['subtreeHashes']>;
    },
    entriesAt: (...args) => indexer.call('entriesAt', ...args) as Promise<readonly LoggedEntry[]>,
    notableEntries: (...args) => indexer.call('notableEntries', ...args) as Promise<NotableEntries>,
    async rebuildIndex(progress) {
      const { rebuildIndex } = await import('./index/rebuild-index.ts');
      return rebuildIndex(indexer, progress);
    },
    async rebuildDraws() {
      const { openLog } = await import('./log/open-log.ts');
      const { rebuildDraws } = await import('./index/rebuild-draws.ts');
      const newestMs = await store.newestAtMs();
      const reading = await openLog(logPlace);
      try {
        return await rebuildDraws(reading, newestMs, store.replaceDraws);
      } finally {
        await reading.close();
      }
    },
    ...erasures,
    async workspaceContents(workspace, progress) {
      const { workspaceContents } = await import('./prune/erase-workspace.ts');
      return workspaceContents({ ...erasures, ...parts, store }, workspace, progress);
    },
    async eraseWorkspace(erasure, progress) {
      const { eraseWorkspace } = await import('./prune/erase-workspace.ts');
      return eraseWorkspace({ ...erasures, ...parts, store }, erasure, progress);
    },
    async health() {
      try {
        await parts.probe();
        return { kind: 'ok' };
      } catch (thrown) {
        return { kind: 'failing', why: toUnavailable(thrown).message };
      }
    },
  } satisfies Partial<Store>;
}
