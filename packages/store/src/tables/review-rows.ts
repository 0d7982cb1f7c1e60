/**
 * The parts of a review that both databases store alike: its row, its place in lists, and the tags that lists
 * filter by.
 */
import { type ConsumedAttestation, REVIEW_DESK } from '@writecheck/contract';
import type { FoundReview, ReviewQuery, StoredReview } from '../port/reviews.ts';
import { escaped, json, mapping } from './mapping.ts';
import { sqlEscaping } from './operation.ts';

const REVIEW = mapping<StoredReview>({
  workspace: 'workspace',
  id: 'id',
  version: 'version',
  state: 'state',
  intentDigest: 'intent_digest',
  keyKind: 'key_kind',
  system: escaped('system'),
  objectRef: escaped('object_ref'),
  likeness: 'likeness',
  controlIds: json('control_ids'),
  askedBy: json('asked_by'),
  openedAtMs: 'opened_ms',
  expiresAtMs: 'expires_ms',
  resolvedAtMs: 'resolved_ms',
  document: escaped('document'),
});

export const reviewSql = sqlEscaping(...REVIEW.escaped);

/** Columns that only reading adds: `place` sorts lists. */
export type FoundRow = { readonly place: number; readonly is_used: number | boolean };

/** Open reviews are before it, all others after it. */
export const CLOSED_FROM = Number.MAX_SAFE_INTEGER - 2 ** 52;

/** Open reviews come first, by expiry; then all others, newest first. */
function placeOf({ state, openedAtMs, expiresAtMs, resolvedAtMs }: StoredReview): number {
  return state === 'open' ? expiresAtMs : Number.MAX_SAFE_INTEGER - (resolvedAtMs ?? openedAtMs);
}

export function rowOf(review: StoredReview) {
  return { ...REVIEW.rowOf(review), place: placeOf(review), first_asker: review.askedBy[0] ?? '' };
}

export function storedReview(row: object): StoredReview {
  return REVIEW.storedOf(row);
}

export function foundReview(row: FoundRow): FoundReview {
  return { ...storedReview(row), isUsed: Boolean(row.is_used) };
}

const EVERY = 'all';

/** One row each beside the review, so that every list is read in order from one index. */
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
 * Lists every name by which an allow may depend on the review: an item names the review and its control, a commit uses
 * up the whole review.
 */
export function approvalNames({ id, controlIds }: StoredReview): readonly ConsumedAttestation[] {
  return [id, ...controlIds.map((control) => `${id}:${control}`)].map((jti) => ({
    source: REVIEW_DESK,
    jti,
  }));
}
