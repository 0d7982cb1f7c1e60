/** Prunes a store on SQLite: many short steps on the writer thread, so that commits go on between them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Archive } from '../archive/archive.ts';
import { settleTiles } from '../archive/settle-tiles.ts';
import type { Progress, PruneQuery } from '../port.ts';
import type { ThreadCalls } from '../thread-calls.ts';
import type { PruneStep } from './prune-log.ts';
import type { StoreCalls } from './store-calls.ts';

export async function pruneStore(
  { calls, housekeeper, archive }: PruneParts,
  query: PruneQuery,
  onlyCounts: boolean,
  progress: Progress | undefined,
): Promise<number> {
  // Entries emptied before the index has seen them would be missing from the counts.
  await housekeeper.call('catchUp');
  const reviews = await calls.write('reviewsAtPrune')(query);
  let emptied = 0;
  let seen = 0;
  const total = (await calls.read('logs')()).reduce((sum, { size }) => sum + size, 0);
  let forgotten: ReadonlySet<string> = await calls.write('forgottenBefore')(query);
  for (let next: number | null = 0; next !== null; ) {
    const at: number = next;
    const step: PruneStep = await paced(() =>
      calls.write('pruneStep')(query, reviews, at, forgotten, onlyCounts),
    );
    await settleTiles(calls.rows, archive, step.toSettle);
    emptied += step.pruned;
    seen += step.seen;
    progress?.(Math.min(seen, total), total);
    ({ next, forgotten } = step);
  }
  if (onlyCounts) return emptied;
  for (let next: number | null = forgotten.size === 0 ? null : 0; next !== null; ) {
    const after: number = next;
    next = await paced(() => calls.write('forgetAnswers')(forgotten, after));
  }
  await calls.write('forgetOutcomes')(query, forgotten);
  await calls.writes.forgetFreezeWords(query);
  while ((await paced(() => calls.write('dropReviews')(query, reviews))) > 0);
  // Even if nothing was left to empty: a prune that was interrupted may have ended before this.
  await housekeeper.call('prune', query, [...reviews.keptDecisions]);
  await calls.write('clearForgotten')(query);
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
