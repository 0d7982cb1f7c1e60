/** Looks up the reviews that a check refers to, the people who approved them, and what may be trusted of them. */
import { type ConsumedAttestation, REVIEW_DESK, type WriteIntent } from '@writecheck/contract';
import { type AttestationChecks, needsReviewFacts } from '@writecheck/engine/deciding';
import type { Store, StoredKey } from '@writecheck/store/port';
import { standingName } from '@writecheck/store/port/people';
import { lineageIn, ownersOf } from '../keys/key-lineage.ts';
import { type EpochOf, reviewReferredTo } from './approval.ts';
import { epochsOf } from './people-standing.ts';
import { type Review, reviewOf } from './review.ts';
import { factsOf, type ReviewCheck } from './review-facts.ts';

export type ApprovalStore = Pick<Store, 'reviewsAtCheck' | 'findPeople' | 'listKeys'>;

/** Everything that the evidence of a check may refer to, as the store has it now. */
export interface FoundApprovals {
  readonly reviews: ReadonlyMap<string, Review>;
  readonly epochOf: EpochOf;
  readonly keyOwners: readonly string[];
  /** The policy that ran when the reviews were read; undefined if there are none. */
  readonly runningDigest: string | null | undefined;
}

/** Null if no item refers to a review. `key` is the checking key that asks, if any. */
export async function findApprovals(
  store: ApprovalStore,
  workspace: string,
  key: StoredKey | null,
  intent: WriteIntent,
): Promise<FoundApprovals | null> {
  if (!needsReviewFacts(intent)) return null;
  const items = intent.controlEvidence ?? [];
  const referred = items.filter(({ source }) => source === REVIEW_DESK).map(reviewReferredTo);
  const ids = [...new Set(referred.filter((id) => id !== null))];
  const found = ids.length === 0 ? [] : await store.reviewsAtCheck(workspace, ids);
  const reviews = found.map(reviewOf);
  const approvals = {
    reviews: new Map(reviews.map((review) => [review.id, review])),
    // The reviews were read in order, so the last digest is the newest.
    runningDigest: found.at(-1)?.runningDigest,
  };
  if (reviews.length === 0) return { ...approvals, epochOf: () => null, keyOwners: [] };
  const keys = new Map((await store.listKeys(workspace)).map((each) => [each.id, each]));
  const epochOf = await epochsOf(store, workspace, reviews, keys);
  const lineage = key === null ? [] : lineageIn(key.id, keys.set(key.id, key));
  return { ...approvals, epochOf, keyOwners: ownersOf(lineage) };
}

/** `facts` has one element per item of evidence. */
export function withReviewFacts(
  { reviews, epochOf, keyOwners }: FoundApprovals,
  { controlEvidence = [] }: WriteIntent,
  facts: readonly AttestationChecks[],
  check: Omit<ReviewCheck, 'epochOf' | 'keyOwners'>,
): readonly AttestationChecks[] {
  return controlEvidence.map((item, i) => {
    if (item.source !== REVIEW_DESK) return facts[i] as AttestationChecks;
    return factsOf(item, reviews.get(reviewReferredTo(item) ?? '') ?? null, { ...check, epochOf, keyOwners });
  });
}

/**
 * Lists what an allow with these items depends on: if one is an approval, also those who gave it. The commit refuses
 * the allow if one of them was disabled or reset meanwhile, or their key revoked.
 */
export function withApprovers(
  items: readonly ConsumedAttestation[],
  found: FoundApprovals | null,
): readonly ConsumedAttestation[] {
  if (found === null) return items;
  const approvers = items
    .filter(({ source }) => source === REVIEW_DESK)
    .flatMap(({ jti }) => found.reviews.get(jti)?.restsOn ?? []);
  return [...items, ...approvers.map(standingName)];
}
