/** Looks up the reviews that checks refer to and the people they rest on, and what may be trusted of them. */
import { type ConsumedAttestation, REVIEW_DESK, type WriteIntent } from '@writecheck/contract';
import { type AttestationFacts, needsReviewFacts } from '@writecheck/engine';
import { type People, standingOf as standingName } from '../store/port/people.ts';
import type { Reviews } from '../store/port/reviews.ts';
import type { StoredKey, WorkspacesAndKeys } from '../store/port.ts';
import { type EpochOf, isOwnApproval, reviewReferredTo } from './approval.ts';
import { lineageOf, ownersOf } from './key-lineage.ts';
import { epochsOf } from './people-standing.ts';
import { type Review, reviewOf } from './review.ts';
import { factsOf, type ReviewCheck } from './review-facts.ts';

export type ApprovalStore = Pick<Reviews, 'reviewsAtCheck'> &
  Pick<People, 'findPeople'> &
  Pick<WorkspacesAndKeys, 'listKeys'>;

/** Everything that the evidence of one request may refer to, as the store has it now. */
export interface FoundApprovals {
  readonly reviews: ReadonlyMap<string, Review>;
  readonly epochOf: EpochOf;
  readonly keyOwners: readonly string[];
  /** The policy that ran when the reviews were read; undefined if there are none. */
  readonly runningDigest: string | null | undefined;
}

interface Asking {
  readonly intent: WriteIntent;
}

/**
 * Null if no item refers to a review, which is the common case and costs nothing. `key` is the checking key that asks,
 * if one does.
 */
export function findApprovals(
  store: ApprovalStore,
  workspace: string,
  key: StoredKey | null,
  checks: readonly Asking[],
): Promise<FoundApprovals> | null {
  return checks.some(({ intent }) => needsReviewFacts(intent)) ? lookUp(store, workspace, key, checks) : null;
}

async function lookUp(
  store: ApprovalStore,
  workspace: string,
  key: StoredKey | null,
  checks: readonly Asking[],
): Promise<FoundApprovals> {
  const items = checks.flatMap(({ intent }) => intent.controlEvidence ?? []);
  const referred = items.filter(({ source }) => source === REVIEW_DESK).map(reviewReferredTo);
  const ids = [...new Set(referred.filter((id) => id !== null))];
  const found = ids.length === 0 ? [] : await store.reviewsAtCheck(workspace, ids);
  const reviews = found.map(reviewOf);
  const approvals = {
    reviews: new Map(reviews.map((review) => [review.id, review])),
    // The last one was read last.
    runningDigest: found.at(-1)?.runningDigest,
  };
  // Approvals of owner keys rest on nobody, so there is nothing more to look up.
  if (!reviews.some(({ restsOn }) => restsOn.length > 0)) {
    return { ...approvals, epochOf: () => null, keyOwners: [] };
  }
  const [epochOf, lineage] = await Promise.all([
    epochsOf(store, workspace, reviews),
    key === null ? [] : lineageOf(store, key),
  ]);
  return { ...approvals, epochOf, keyOwners: ownersOf(lineage) };
}

/** `facts` has one element per item of evidence. */
export function withReviewFacts(
  { reviews, epochOf, keyOwners }: FoundApprovals,
  { controlEvidence = [] }: WriteIntent,
  facts: readonly AttestationFacts[],
  check: Omit<ReviewCheck, 'epochOf' | 'keyOwners'>,
): readonly AttestationFacts[] {
  return controlEvidence.map((item, i) => {
    if (item.source !== REVIEW_DESK) return facts[i] as AttestationFacts;
    return factsOf(item, reviews.get(reviewReferredTo(item) ?? '') ?? null, { ...check, epochOf, keyOwners });
  });
}

/**
 * Whether this key could have used every approval that an allow rests on: for keys of its kind, and given by nobody who
 * holds or made it, unless the rule allows that.
 */
export async function mayUseApprovals(
  store: Pick<Reviews, 'findReviews'> & Pick<WorkspacesAndKeys, 'listKeys'>,
  key: StoredKey,
  restsOn: readonly ConsumedAttestation[],
): Promise<boolean> {
  const used = restsOn
    .filter(({ source, jti }) => source === REVIEW_DESK && jti.includes(':'))
    .map(({ jti }) => ({ id: jti.slice(0, jti.indexOf(':')), controlId: jti.slice(jti.indexOf(':') + 1) }));
  if (used.length === 0) return true;
  const [found, lineage] = await Promise.all([
    store.findReviews(key.workspace, [...new Set(used.map(({ id }) => id))]),
    lineageOf(store, key),
  ]);
  const reviews = new Map(found.map((review) => [review.id, reviewOf(review)]));
  const keyOwners = ownersOf(lineage);
  return used.every(({ id, controlId }) => {
    const review = reviews.get(id);
    const control = review?.controls.find((each) => each.controlId === controlId);
    // INVARIANT: an approval that cannot be found is nobody's to use.
    if (review === undefined || control === undefined || review.write.keyKind !== key.kind) return false;
    return !isOwnApproval(review, control, keyOwners);
  });
}

/**
 * What an allow rests on if it rests on these items: with an approval, the people who gave it. The commit refuses an
 * allow that rests on somebody disabled or reset in the meantime.
 */
export function withApprovers(
  items: readonly ConsumedAttestation[],
  found: FoundApprovals | null,
): readonly ConsumedAttestation[] {
  if (found === null) return items;
  const approvers = items
    .filter(({ source }) => source === REVIEW_DESK)
    .flatMap(({ jti }) => found.reviews.get(jti)?.restsOn ?? []);
  return [...items, ...approvers.map(({ personId, epoch }) => standingName({ id: personId, epoch }))];
}
