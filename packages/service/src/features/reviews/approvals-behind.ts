/** The approvals that an allow used, for its redemption: who gave them, and whether this key could have used them. */
import { type ConsumedAttestation, REVIEW_DESK } from '@writecheck/contract';
import type { Store, StoredKey } from '@writecheck/store/port';
import { standingName } from '@writecheck/store/port/people';
import { lineageOf, ownersOf } from '../keys/key-lineage.ts';
import { isOwnApproval } from './approval.ts';
import { reviewOf } from './review.ts';

interface ApprovalsBehind {
  /** The people and keys who gave the approvals, on whom the redemption also depends. */
  readonly approvers: readonly ConsumedAttestation[];
  /** Whether the key that redeems could have used them itself. */
  readonly areUsable: boolean;
}

const NONE: ApprovalsBehind = { approvers: [], areUsable: true };

/** `restsOn` names items of reviews as `rev_...:CONTROL`. */
export async function approvalsBehind(
  store: Pick<Store, 'findReviews' | 'listKeys'>,
  key: StoredKey,
  restsOn: readonly ConsumedAttestation[],
): Promise<ApprovalsBehind> {
  const items = restsOn.filter(({ source }) => source === REVIEW_DESK).map(({ jti }) => splitName(jti));
  if (items.length === 0) return NONE;
  const ids = [...new Set(items.map(({ id }) => id))];
  const reviews = (await store.findReviews(key.workspace, ids)).map(reviewOf);
  const keyOwners = ownersOf(await lineageOf(store, key));
  const areUsable = items.every(({ id, controlId }) => {
    const review = reviews.find((each) => each.id === id);
    const control = review?.controls.find((each) => each.controlId === controlId);
    if (review === undefined || control === undefined) return false;
    return review.write.keyKind === key.kind && !isOwnApproval(review, control, keyOwners);
  });
  return { approvers: reviews.flatMap((each) => each.restsOn.map(standingName)), areUsable };
}

/** A control's id may hold a colon, a review's never. */
function splitName(jti: string): { readonly id: string; readonly controlId: string } {
  const at = jti.indexOf(':');
  return { id: jti.slice(0, at), controlId: jti.slice(at + 1) };
}
