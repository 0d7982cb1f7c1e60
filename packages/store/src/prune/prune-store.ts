/** An erasure from its trace in the log to its end, in many short steps, so that commits continue between them. */
import type { Erasure, Prunable } from '../port/erasures.ts';
import type { Progress } from '../port/log.ts';
import { type AnswerPlace, FIRST_ANSWER } from '../tables/answers.ts';
import type { Methods } from '../tables/operation.ts';
import type { INNER, READS } from '../tables/operations.ts';
import type { PruneStep } from '../tables/prune.ts';
import { reviewsNow } from './find-prunable.ts';
import type { ReviewsAtPrune } from './reviews-at-prune.ts';
import { traceFound } from './trace-erasure.ts';

interface PruneParts {
  readonly store: Methods<typeof READS & typeof INNER.reads & typeof INNER.writes & typeof INNER.appending>;
  paced<T>(step: () => Promise<T>): Promise<T>;
  catchUp(): Promise<unknown>;
  unindex(found: Prunable, reviews: ReviewsAtPrune): Promise<unknown>;
}

const SETTLED_AT_ONCE = 500;

export async function eraseFound(
  parts: PruneParts,
  found: Prunable,
  erasure: Erasure,
  progress: Progress | undefined,
): Promise<number> {
  const { traceErasure, settleErasure } = parts.store;
  await traceFound(traceErasure, found, erasure);
  const emptied = await pruneStore(parts, found, progress);
  // Last of all: until here, the same erasure again completes what this one began.
  const named = [...(found.only?.decisions ?? [])];
  for (let from = 0; from < named.length; from += SETTLED_AT_ONCE)
    await settleErasure(found.workspace!, named.slice(from, from + SETTLED_AT_ONCE));
  return emptied;
}

/** INVARIANT: the log names the erasure already. */
async function pruneStore(
  { store, paced, catchUp, unindex }: PruneParts,
  found: Prunable,
  progress: Progress | undefined,
): Promise<number> {
  // Entries emptied before the index has seen them would be missing from the counts.
  await catchUp();
  const reviews = await reviewsNow(store, found.workspace);
  let emptied = 0;
  let seen = 0;
  const total = (await store.logs()).reduce((sum, { size }) => sum + size, 0);
  for (let next: number | null = 0; next !== null; ) {
    const from: number = next;
    const step: PruneStep = await paced(() => store.pruneStep(found, reviews, from));
    emptied += step.emptied;
    seen += step.seen;
    progress?.(Math.min(seen, total), total);
    ({ next } = step);
  }
  const decisions = found.only?.decisions ?? new Set<string>();
  for (let next: AnswerPlace | null = decisions.size === 0 ? null : FIRST_ANSWER; next !== null; ) {
    const after: AnswerPlace = next;
    next = await paced(() => store.forgetAnswers(decisions, after));
  }
  await store.forgetOutcomes(found);
  await store.forgetFreezeWords(found);
  while ((await paced(() => store.dropReviews(found, reviews))) > 0);
  // Even if nothing was left to empty: a prune that was interrupted may have ended before this.
  await unindex(found, reviews);
  return emptied;
}
