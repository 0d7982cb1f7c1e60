/** An approval is used as a whole: whichever of its items an allow rests on, the review is what gets marked. */
import { type ConsumedAttestation, REVIEW_DESK } from '@writecheck/contract';

/** The engine names `rev_...:CONTROL`, since it judges each item separately; the store records `rev_...`. */
export function wholeApproval(item: ConsumedAttestation): ConsumedAttestation {
  return item.source === REVIEW_DESK ? { source: REVIEW_DESK, jti: item.jti.split(':', 1)[0]! } : item;
}

/** Each once; the same list if it contains no review, which is nearly always the case. */
export function wholeApprovals(items: readonly ConsumedAttestation[]): readonly ConsumedAttestation[] {
  if (!items.some(({ source }) => source === REVIEW_DESK)) return items;
  const seen = new Set<string>();
  return items.map(wholeApproval).filter(({ source, jti }) => {
    if (source !== REVIEW_DESK) return true;
    const isNew = !seen.has(jti);
    seen.add(jti);
    return isNew;
  });
}
