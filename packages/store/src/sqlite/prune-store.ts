/** Erases from a store on SQLite: many short steps on the writer thread, so that commits go on between them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Archive } from '../archive/archive.ts';
import { settleTiles } from '../archive/settle-tiles.ts';
import type { Progress, Prunable } from '../port.ts';
import { reviewsNow } from '../prune/find-prunable.ts';
import { BEFORE_ALL } from '../segment.ts';
import type { ThreadCalls } from '../thread-calls.ts';
import type { PruneStep } from './prune-log.ts';
import type { StoreCalls } from './store-calls.ts';

/** INVARIANT: the log names the erasure already. */
export async function pruneStore(
  { calls, housekeeper, archive }: PruneParts,
  found: Prunable,
  progress: Progress | undefined,
): Promise<number> {
  // Entries emptied before the index has seen them would be missing from the counts.
  await housekeeper.call('catchUp');
  const { unfinishedReviews, activeFreezeIds } = calls.reads;
  const reviews = await reviewsNow(
    { unfinishedReviews, activeFreezeIds, newestAtMs: calls.read('newestAtMs') },
    found.workspace,
  );
  let emptied = 0;
  let seen = 0;
  const total = (await calls.read('logs')()).reduce((sum, { size }) => sum + size, 0);
  for (let next: number | null = BEFORE_ALL; next !== null; ) {
    const at: number = next;
    const step: PruneStep = await paced(() => calls.write('pruneStep')(found, reviews, at));
    await settleTiles(calls.rows, archive, step.toSettle);
    emptied += step.pruned;
    seen += step.seen;
    progress?.(Math.min(seen, total), total);
    ({ next } = step);
  }
  const decisions = found.only?.decisions ?? new Set<string>();
  for (let next: number | null = decisions.size === 0 ? null : 0; next !== null; ) {
    const after: number = next;
    next = await paced(() => calls.write('forgetAnswers')(decisions, after));
  }
  await calls.write('forgetOutcomes')(found);
  await calls.writes.forgetFreezeWords(found);
  while ((await paced(() => calls.write('dropReviews')(found, reviews))) > 0);
  // Even if nothing was left to empty: a prune that was interrupted may have ended before this.
  await housekeeper.call('prune', found, [...reviews.keptDecisions]);
  return emptied;
}

/** Rests for as long as a step took, because commits of the service wait for the same lock. */
async function paced<T>(step: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  const done = await step();
  await sleep(performance.now() - startedMs);
  return done;
}

interface PruneParts {
  readonly calls: StoreCalls;
  readonly housekeeper: ThreadCalls;
  readonly archive: Archive;
}
