/** Which reviews of the inbox go together: any to be rejected, and the unsuspicious of one kind to be approved. */
import type { Review } from '@writecheck/api';
import { useRef, useState } from 'preact/hooks';
import { knownAround } from '../../components/review/read-around.ts';
import { conflictingIn, type Rivals } from '../../components/review/rivals.ts';
import { type Around, warningsOf } from '../../components/review/warnings.ts';

/** More than this nobody reads in one go. */
export const TOGETHER_MAX = 20;

export type Picking = ReturnType<typeof usePicking>;

export function usePicking(reviews: readonly Review[], rivals: Rivals) {
  const [all, setPicked] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string | null>(null);
  // One that left the inbox is no longer selected.
  const picked = new Set(reviews.filter(({ id }) => all.has(id)).map(({ id }) => id));
  const first = reviews.find(({ id }) => picked.has(id));
  const isSuspicious = (review: Review) =>
    whyAlone(review, knownAround(review, rivals.get(review.id))) !== null;
  /** Why a review cannot be selected; null if it can. */
  const whyNot = (review: Review) => {
    if (picked.has(review.id)) return null;
    return picked.size >= TOGETHER_MAX ? `At most ${TOGETHER_MAX} go together.` : null;
  };
  const kin =
    first === undefined
      ? []
      : reviews.filter(
          (review) =>
            !picked.has(review.id) &&
            kindOf(first) === kindOf(review) &&
            // Whoever begins with a warning is about to reject.
            (isSuspicious(first) || !isSuspicious(review)),
        );
  const alike = kin.slice(0, TOGETHER_MAX - picked.size);
  return {
    picked,
    /** How many more go together with those that are selected. */
    alike: alike.length,
    /** How many of those that are selected are approved one by one. */
    suspicious: reviews.filter((review) => picked.has(review.id) && isSuspicious(review)).length,
    /** Whether still more would, if so many could. */
    isLimited: alike.length < kin.length,
    pickAlike: () => setPicked(new Set([...picked, ...alike.map(({ id }) => id)])),
    clear: () => setPicked(new Set()),
    whyNot,
    /** `isRange`: with all between it and the last one that was selected, as far as so many go together. */
    toggle(id: string, isRange: boolean) {
      const next = new Set(picked);
      const ids = reviews.map((review) => review.id);
      const range = isRange && !picked.has(id) ? between(ids, last.current, id) : [id];
      last.current = id;
      if (!next.delete(id)) for (const each of range) if (next.size < TOGETHER_MAX) next.add(each);
      setPicked(next);
    },
    /** Selects as many as go together, or none if any is selected. */
    toggleAll() {
      setPicked(new Set(picked.size > 0 ? [] : reviews.slice(0, TOGETHER_MAX).map(({ id }) => id)));
    },
  };
}

/** From the one to the other, whichever comes first; the second alone if the first is not listed. */
export function between(ids: readonly string[], one: string | null, other: string): readonly string[] {
  const [from, to] = [ids.indexOf(one ?? other), ids.indexOf(other)];
  if (from < 0) return [other];
  return from < to ? ids.slice(from, to + 1) : ids.slice(to, from + 1).reverse();
}

/** INVARIANT: what needs a tick on its own page is approved there only, also if an address names it among others. */
export function whyAlone(review: Review, around: Around): string | null {
  const [worst] = warningsOf(review, around);
  return worst === undefined ? null : `${worst.text.replaceAll('`', '')} Open it on its own.`;
}

/** Those of `named` that contradict each other or what else is `open`; an approved one may still be written. */
export function rivalsIn(named: readonly Review[], open: readonly Review[]): Rivals {
  const standing = [...named, ...open].filter(({ state }) => state === 'open' || state === 'approved');
  return conflictingIn(standing);
}

/** Writes are of one kind if they differ in nothing but object, values and metadata. */
export function kindOf({ intent, controls }: Review): string {
  const { system, objectType, field, operation } = intent;
  return JSON.stringify([system, objectType, field, operation, controls]);
}
