/** Which reviews of the inbox can be approved together. */
import type { Review } from '@writecheck/api';
import { useState } from 'preact/hooks';
import { isOdd, wasRejected } from './warnings.ts';

/** More than this nobody reads in one go. */
export const TOGETHER_MAX = 20;

export interface Picking {
  readonly picked: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
  /** Why a review cannot be selected; null if it can. */
  readonly whyNot: (review: Review) => string | null;
}

export function usePicking(reviews: readonly Review[]): Picking {
  const [all, setPicked] = useState<ReadonlySet<string>>(new Set());
  // One that left the inbox is no longer selected.
  const picked = new Set(reviews.filter(({ id }) => all.has(id)).map(({ id }) => id));
  const first = reviews.find(({ id }) => picked.has(id));
  return {
    picked,
    toggle(id) {
      const next = new Set(picked);
      if (!next.delete(id)) next.add(id);
      setPicked(next);
    },
    whyNot(review) {
      if (picked.has(review.id)) return null;
      if (isDeceptive(review)) return 'It has look-alike characters: open it on its own.';
      if (wasRejected(review)) return 'It was rejected before: open it on its own.';
      if (first !== undefined && kindOf(first) !== kindOf(review))
        return 'Only writes of one kind go together.';
      return picked.size >= TOGETHER_MAX ? `At most ${TOGETHER_MAX} go together.` : null;
    },
  };
}

/** Writes are of one kind if they differ in nothing but object, values and metadata. */
function kindOf({ intent, controls }: Review): string {
  const { system, objectType, field, operation } = intent;
  return JSON.stringify([system, objectType, field, operation, controls]);
}

/** Whether any text of the write hides or imitates characters. */
export function isDeceptive({ intent, askedBy }: Review): boolean {
  const texts = [...leavesOf(intent.metadata), intent.agentValue, intent.objectRef, askedBy[0]?.onBehalfOf];
  return texts.some((text) => typeof text === 'string' && isOdd(text));
}

function leavesOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value];
}
