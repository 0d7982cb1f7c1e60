/**
 * What both databases store of a review in the same way: its row, its place in lists, and the tags that lists filter
 * by.
 */
import { type ConsumedAttestation, REVIEW_DESK } from '@writecheck/contract';
import type { FoundReview, ReviewQuery, StoredReview } from '../port/reviews.ts';

export interface ReviewRow {
  readonly workspace: string;
  readonly id: string;
  readonly version: number;
  readonly state: StoredReview['state'];
  readonly place: number;
  readonly intent_digest: string;
  readonly key_kind: StoredReview['keyKind'];
  readonly system: string;
  readonly object_ref: string | null;
  readonly likeness: string;
  readonly control_ids: string;
  readonly asked_by: string;
  readonly first_asker: string;
  readonly opened_ms: number;
  readonly expires_ms: number;
  readonly resolved_ms: number | null;
  readonly document: string;
}

export type FoundRow = ReviewRow & { readonly is_used: number | boolean };

export type RowAtCheck = FoundRow & { readonly running_digest: string | null };

/** Open reviews are before it, all others after it. */
export const CLOSED_FROM = Number.MAX_SAFE_INTEGER - 2 ** 52;

/** Open reviews come first, by expiry; then all others, newest first. */
function placeOf({ state, openedAtMs, expiresAtMs, resolvedAtMs }: StoredReview): number {
  return state === 'open' ? expiresAtMs : Number.MAX_SAFE_INTEGER - (resolvedAtMs ?? openedAtMs);
}

export function rowOf(review: StoredReview): ReviewRow {
  return {
    workspace: review.workspace,
    id: review.id,
    version: review.version,
    state: review.state,
    place: placeOf(review),
    intent_digest: review.intentDigest,
    key_kind: review.keyKind,
    system: review.system,
    object_ref: review.objectRef,
    likeness: review.likeness,
    control_ids: JSON.stringify(review.controlIds),
    asked_by: JSON.stringify(review.askedBy),
    first_asker: review.askedBy[0] ?? '',
    opened_ms: review.openedAtMs,
    expires_ms: review.expiresAtMs,
    resolved_ms: review.resolvedAtMs,
    document: review.document,
  };
}

export function foundReview(row: FoundRow): FoundReview {
  return {
    workspace: row.workspace,
    id: row.id,
    version: row.version,
    state: row.state,
    intentDigest: row.intent_digest,
    keyKind: row.key_kind,
    system: row.system,
    objectRef: row.object_ref,
    likeness: row.likeness,
    controlIds: JSON.parse(row.control_ids) as readonly string[],
    askedBy: JSON.parse(row.asked_by) as readonly string[],
    openedAtMs: row.opened_ms,
    expiresAtMs: row.expires_ms,
    resolvedAtMs: row.resolved_ms,
    document: row.document,
    isUsed: Boolean(row.is_used),
  };
}

const EVERY = 'all';

/** One row each beside the review, so that every list is read in its order from one index. */
export function tagsOf(review: StoredReview): readonly string[] {
  return [
    ...new Set([
      EVERY,
      `state:${review.state}`,
      `system:${review.system}`,
      `digest:${review.intentDigest}`,
      ...(review.objectRef === null ? [] : [`object:${review.objectRef}`]),
      ...review.controlIds.map((id) => `control:${id}`),
      ...review.askedBy.map((id) => `key:${id}`),
    ]),
  ];
}

/** A review must have one tag of each list; the first list usually selects the fewest. */
export function tagsAskedFor(query: ReviewQuery): readonly (readonly string[])[] {
  const { intentDigest, objectRef, askedByAnyOf, controlId, system, state } = query;
  const asked = [
    intentDigest === undefined ? null : [`digest:${intentDigest}`],
    objectRef === undefined ? null : [`object:${objectRef}`],
    askedByAnyOf === undefined ? null : [...new Set(askedByAnyOf)].map((id) => `key:${id}`),
    controlId === undefined ? null : [`control:${controlId}`],
    system === undefined ? null : [`system:${system}`],
    state === undefined ? null : [`state:${state}`],
  ].filter((tags) => tags !== null);
  return asked.length === 0 ? [[EVERY]] : asked;
}

/**
 * Every name by which an allow may rest on it: an item names the review and its control, a commit uses up the review
 * as a whole.
 */
export function approvalNames({ id, controlIds }: StoredReview): readonly ConsumedAttestation[] {
  return [id, ...controlIds.map((control) => `${id}:${control}`)].map((jti) => ({
    source: REVIEW_DESK,
    jti,
  }));
}
