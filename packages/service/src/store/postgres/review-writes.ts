/** The arguments of the one statement that changes reviews, and what its outcome means. */
import type { BuiltSegment } from '../commit/segment-builder.ts';
import type { ChangeReviewsOutcome, OpenLimits, PersonVersion, ReviewChange } from '../port/reviews.ts';
import { approvalNames, type ReviewRow, rowOf, tagsOf } from '../review-rows.ts';
import { encodeSegment } from '../segment.ts';
import { callOf, type FunctionCall } from './call-function.ts';
import { CHANGES_KEPT, CHANNEL } from './changes.ts';
import { placeArguments } from './commit-arguments.ts';
import type { HeldLog } from './log-lease.ts';
import { storableTag } from './review-reads.ts';
import { storableId, storableText } from './storable-text.ts';

/** A raised outcome: the whole statement was undone. */
export const OUTCOME_RAISED = 'WC002';

/** The reverse is in `review-reads.ts`. */
export function storableReview(row: ReviewRow): ReviewRow {
  return {
    ...row,
    system: storableText(row.system),
    object_ref: row.object_ref === null ? null : storableText(row.object_ref),
    document: storableText(row.document),
  };
}

/** Another statement if the change rests on people, which most do not. */
export function changeReviewsCall(
  log: HeldLog,
  segment: BuiltSegment,
  changes: readonly ReviewChange[],
  limits: OpenLimits | undefined,
  people: readonly PersonVersion[],
): FunctionCall {
  const args = changeReviewsArguments(log, segment, changes, limits);
  if (people.length === 0) return callOf('change_reviews_v1', args);
  return callOf('change_reviews_v2', { ...args, p_people: JSON.stringify(people) });
}

function changeReviewsArguments(
  log: HeldLog,
  segment: BuiltSegment,
  changes: readonly ReviewChange[],
  limits: OpenLimits | undefined,
) {
  const rows = changes.map(({ review }) => storableReview(rowOf(review)));
  const tags = changes.flatMap(({ review }, i) =>
    tagsOf(review).map((tag) => ({
      workspace: review.workspace,
      tag: storableTag(tag),
      place: rows[i]!.place,
      id: review.id,
    })),
  );
  const revoked = changes
    .filter(({ revokes }) => revokes === true)
    .flatMap(({ review, entries }) =>
      approvalNames(review).map((item) => ({
        workspace: review.workspace,
        source: item.source,
        jti: storableId(item),
        revoked_ms: Date.parse(entries.at(-1)!.timestamp),
      })),
    );
  return {
    ...placeArguments(log, segment),
    p_count: segment.entries.length,
    p_oldest_ms: segment.oldestMs,
    p_latest_ms: segment.latestMs,
    p_leaf_hashes: segment.leafHashes,
    p_body: encodeSegment(segment.entries),
    p_reviews: JSON.stringify(rows),
    p_tags: JSON.stringify(tags),
    p_revoked: JSON.stringify(revoked),
    p_limits: limits === undefined ? null : JSON.stringify(limits),
    p_changes_kept: CHANGES_KEPT,
    p_channel: CHANNEL,
  };
}

export function changeReviewsOutcome(status: string): ChangeReviewsOutcome {
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
}
