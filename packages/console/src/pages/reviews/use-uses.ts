/** Finds the allows that used the approvals of listed reviews, and keeps them: a use never changes. */
import type { Review } from '@writecheck/api';
import { useEffect, useState } from 'preact/hooks';
import { listDecisions } from '../../calls/decisions.ts';
import { keptDetail, readDetails } from '../../components/decision/details.ts';
import { allowsThatMay, type Use, useOf } from '../../components/review/use-of-approval.ts';

export type Uses = ReadonlyMap<string, Use>;

const AT_ONCE = 6;
/** Of one object, so many allows while an approval held are more than enough. */
const LOOKED_THROUGH = 20;
const found = new Map<string, Use>();

/** Empty at first; a row says that its approval was used without a link until the allow is found. */
export function useUses(reviews: readonly Review[]): Uses {
  const [, setRound] = useState(0);
  const used = reviews.filter(({ because }) => because === 'used');
  const ids = used.map(({ id }) => id).join(' ');
  useEffect(() => {
    const wanted = used.filter(({ id }) => !found.has(id));
    const leaving = new AbortController();
    findUses(wanted, leaving.signal, () => setRound((round) => round + 1));
    return () => leaving.abort();
  }, [ids]);
  return found;
}

/** Calls `onFound` after every few. */
async function findUses(reviews: readonly Review[], signal: AbortSignal, onFound: () => void): Promise<void> {
  for (let at = 0; at < reviews.length; at += AT_ONCE) {
    await Promise.all(reviews.slice(at, at + AT_ONCE).map((review) => findUse(review, signal)));
    if (signal.aborted) return;
    onFound();
  }
}

/** A failure leaves the row without its link. */
async function findUse(review: Review, signal: AbortSignal): Promise<void> {
  const { id, resolvedAt, validUntil, intent } = review;
  if (typeof intent.objectRef !== 'string' || resolvedAt === null) return;
  const listed = await listDecisions(
    {
      system: String(intent.system),
      objectRef: intent.objectRef,
      decision: 'allow',
      from: resolvedAt,
      ...(validUntil === null ? {} : { to: validUntil }),
      limit: String(LOOKED_THROUGH),
    },
    signal,
  );
  if (listed.kind === 'failure') return;
  const { decisions } = listed.value;
  const may = allowsThatMay(review, decisions).map(({ decision_id }) => decision_id);
  await readDetails(may, signal);
  const use = useOf(review, decisions, (each) => keptDetail(each)?.response.intentDigest);
  if (use !== null) found.set(id, use);
}
