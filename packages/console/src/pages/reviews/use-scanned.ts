/** Looks through the reviews of an inbox for deception in short tasks: the first look at each takes half a millisecond. */
import type { Review } from '@writecheck/api';
import { useEffect, useState } from 'preact/hooks';
import { deceptionOf, knownDeceptionOf } from '../../components/review/warnings.ts';

/** As long as a task may take without being felt, with room for what else is drawn. */
const TASK_MS = 12;

/** How often all of them were looked through, so that the list can be sorted again; 0 before the first time. */
export function useScanned(reviews: readonly Review[] | null): number {
  const [rounds, setRounds] = useState(0);
  useEffect(() => {
    if (reviews === null) return;
    const left = reviews.filter((review) => knownDeceptionOf(review) === undefined);
    let at = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const judge = () => {
      const untilMs = performance.now() + TASK_MS;
      while (at < left.length && performance.now() < untilMs) deceptionOf(left[at++]!);
      if (at < left.length) timer = setTimeout(judge);
      else setRounds((before) => (before === 0 || left.length > 0 ? before + 1 : before));
    };
    judge();
    return () => clearTimeout(timer);
  }, [reviews]);
  return rounds;
}
