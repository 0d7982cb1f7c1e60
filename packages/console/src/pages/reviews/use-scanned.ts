/** Looks through the reviews of an inbox: their texts in short tasks, because the first look takes half a millisecond, and what happened around them. */
import type { Review } from '@writecheck/api';
import { useEffect, useState } from 'preact/hooks';
import { lookAround, unknownAround } from '../../components/review/read-around.ts';
import { isJudged, warningsOf } from '../../components/review/warnings.ts';

/** As long as a task may take without being felt, with room for what else is drawn. */
const TASK_MS = 12;
/** The rows wait so long for what happened around them, so that they need not move afterwards. */
const AROUND_MS = 1_000;

/** How often all of them were looked through, so that the list can be sorted again; 0 before the first time. */
export function useScanned(reviews: readonly Review[] | null): number {
  const [rounds, setRounds] = useState(0);
  useEffect(() => {
    if (reviews === null) return;
    const leaving = new AbortController();
    const isNew = rounds === 0 || reviews.some((review) => !isJudged(review));
    scan(reviews, isNew, leaving.signal, () => setRounds((before) => before + 1));
    return () => leaving.abort();
  }, [reviews]);
  return rounds;
}

async function scan(
  reviews: readonly Review[],
  isNew: boolean,
  signal: AbortSignal,
  onRound: () => void,
): Promise<void> {
  let untilMs = performance.now() + TASK_MS;
  for (const review of reviews) {
    if (isJudged(review)) continue;
    warningsOf(review);
    if (performance.now() < untilMs) continue;
    await pause(0);
    if (signal.aborted) return;
    untilMs = performance.now() + TASK_MS;
  }
  const unknown = unknownAround(reviews);
  const looking = lookAround(unknown, signal);
  if (isNew) {
    await Promise.race([looking, pause(AROUND_MS)]);
    if (!signal.aborted) onRound();
  }
  await looking;
  if (unknown.length > 0 && !signal.aborted) onRound();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
