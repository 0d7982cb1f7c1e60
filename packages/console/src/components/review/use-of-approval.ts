/** Which allow used an approval. The review only says that one did; the decisions about its object tell which. */
import type { DecisionSummary, Review } from '@writecheck/api';

export type Use = NonNullable<ReturnType<typeof useOf>>;

/** The allows of a review's object that may have used its approval: of the same member, while it held. */
export function allowsThatMay(
  { because, resolvedAt, validUntil, intent }: Review,
  decisions: readonly DecisionSummary[],
): readonly DecisionSummary[] {
  if (because !== 'used' || resolvedAt === null) return [];
  return decisions.filter(
    ({ decision, timestamp, objectType, field, operation }) =>
      decision === 'allow' &&
      timestamp >= resolvedAt &&
      (validUntil === null || timestamp <= validUntil) &&
      objectType === (intent.objectType ?? null) &&
      field === (intent.field ?? null) &&
      operation === (intent.operation ?? null),
  );
}

/** INVARIANT: the digest tells, because another write of the same object may have been allowed since. */
export function useOf(
  review: Review,
  decisions: readonly DecisionSummary[],
  digestOf: (decisionId: string) => string | undefined,
) {
  const used = allowsThatMay(review, decisions).find(
    ({ decision_id }) => digestOf(decision_id) === review.intentDigest,
  );
  return used === undefined ? null : { decisionId: used.decision_id, at: used.timestamp };
}
