/** Lists the evidence that an allow uses up. An approval is used as a whole, whichever of its items the allow needs. */
import {
  type AttestationChecks,
  type ConsumedAttestation,
  REVIEW_DESK,
  type WriteIntent,
} from '@writecheck/contract';

/** The engine names `rev_...:CONTROL`, because it judges each item separately; the store records `rev_...`. */
function wholeApproval(item: ConsumedAttestation): ConsumedAttestation {
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

/** The name of an attestation or approval in a set of those that are used up. */
export function usedName({ source, jti }: ConsumedAttestation): string {
  return JSON.stringify([source, jti]);
}

/** The facts after earlier allows, which the store does not know of yet, used up what `used` names. */
export function markUsedUp(
  intent: WriteIntent,
  facts: readonly AttestationChecks[],
  used: ReadonlySet<string>,
): readonly AttestationChecks[] {
  if (used.size === 0) return facts;
  return facts.map((fact, i) => {
    const source = intent.controlEvidence?.[i]?.source;
    if (fact.kind !== 'verified' || source === undefined) return fact;
    const name = usedName(wholeApproval({ source, jti: fact.jti }));
    return used.has(name) ? { ...fact, usedUp: true } : fact;
  });
}
