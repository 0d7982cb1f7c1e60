/** Well-formed reviews for the store's contract suite: only what a test names differs from the usual. */
import { createHash, randomBytes } from 'node:crypto';
import type { ReviewEntry, ReviewEvent } from '@writecheck/ledger';
import type { ReviewChange, StoredReview } from '../../src/port/reviews.ts';
import { idOf } from './store-contract-values.ts';

const digest = (): string => `sha256:${createHash('sha256').update(randomBytes(8)).digest('hex')}`;

export const newReview = (workspace: string, changes: Partial<StoredReview> = {}): StoredReview => ({
  workspace,
  id: idOf('rev_'),
  version: 1,
  state: 'open',
  intentDigest: digest(),
  keyKind: 'live',
  system: 'crm',
  objectRef: null,
  likeness: digest(),
  controlIds: ['approval'],
  askedBy: ['key_1'],
  openedAtMs: 1_000,
  expiresAtMs: 2_000,
  resolvedAtMs: null,
  document: JSON.stringify({ decisionId: idOf('dec_'), validUntilMs: null, because: null }),
  ...changes,
});

export const entryOf = (
  { id, workspace, intentDigest }: StoredReview,
  event: ReviewEvent,
  atMs: number,
): ReviewEntry => ({
  ...{ kind: 'review', event, review: id, workspace, intentDigest },
  ...{ timestamp: new Date(atMs).toISOString(), by: { kind: 'owner_key', id: 'key_owner' }, details: {} },
});

/** Opens the review unchanged. */
export const opening = (review: StoredReview, atMs = review.openedAtMs): ReviewChange => ({
  review,
  entries: [entryOf(review, 'opened', atMs)],
});

/** The next version of a row, with one entry. */
export const next = (
  review: StoredReview,
  event: ReviewEvent,
  changes: Partial<StoredReview> = {},
  atMs = review.openedAtMs,
): ReviewChange => {
  const after = { ...review, version: review.version + 1, ...changes };
  return { review: after, entries: [entryOf(after, event, atMs)] };
};
