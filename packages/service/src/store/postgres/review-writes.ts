/** What a change of reviews gives to the one statement that makes it, and what its outcome means. */
import { reviewEntryBytes } from '@writecheck/ledger';
import type { ChangeReviewsOutcome, OpenLimits, ReviewChange } from '../port/reviews.ts';
import { approvalNames, type ReviewRow, rowOf, tagsOf } from '../review-rows.ts';
import { type BuiltSegment, type NewEntry, nodesOf } from './build-segment.ts';
import { CHANGES_KEPT, CHANNEL } from './changes.ts';
import { storableTag } from './review-reads.ts';
import { storableId, storableText } from './storable-text.ts';

export const CHANGE_REVIEWS = 'change_reviews_v1';

/** A raised outcome: the whole statement was undone. */
export const OUTCOME_RAISED = 'WC002';

export const reviewEntries =
  (changes: readonly ReviewChange[]) =>
  (log: string): readonly NewEntry[] =>
    changes
      .flatMap(({ entries }) => entries)
      .map((entry) => ({
        leaf: reviewEntryBytes({ ...entry, log }),
        atMs: Date.parse(entry.timestamp),
      }));

/** The reverse is in `review-reads.ts`. */
export const storableReview = (row: ReviewRow): ReviewRow => ({
  ...row,
  system: storableText(row.system),
  object_ref: row.object_ref === null ? null : storableText(row.object_ref),
  document: storableText(row.document),
});

export const changeReviewsValues = (
  changes: readonly ReviewChange[],
  limits: OpenLimits | undefined,
  segment: BuiltSegment,
): readonly unknown[] => {
  const { count, oldestMs, latestMs, leafHashes, body } = segment;
  const rows = changes.map(({ review }) => storableReview(rowOf(review)));
  const tags = changes.flatMap(({ review }, i) =>
    tagsOf(review).map((tag) => ({
      ...{ workspace: review.workspace, tag: storableTag(tag), place: rows[i]!.place, id: review.id },
    })),
  );
  const revoked = changes
    .filter(({ revokes }) => revokes === true)
    .flatMap(({ review, entries }) =>
      approvalNames(review).map((item) => ({
        ...{ workspace: review.workspace, source: item.source, jti: storableId(item) },
        revoked_ms: Date.parse(entries.at(-1)!.timestamp),
      })),
    );
  return [
    ...[count, oldestMs, latestMs, leafHashes, body, ...nodesOf(segment)],
    ...[JSON.stringify(rows), JSON.stringify(tags), JSON.stringify(revoked)],
    ...[limits === undefined ? null : JSON.stringify(limits), CHANGES_KEPT, CHANNEL],
  ];
};

export const changeReviewsOutcome = (status: string): ChangeReviewsOutcome => {
  switch (status) {
    case 'changed':
    case 'conflict':
      return { kind: status };
    case 'open_of_key':
    case 'opened_of_key':
    case 'open_of_workspace':
      return { kind: 'too_many', which: status };
    default:
      throw new Error(`the database gives an unknown outcome: ${status}`);
  }
};
