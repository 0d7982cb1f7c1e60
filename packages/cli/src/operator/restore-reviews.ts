/** Voids every approval in a restored backup, which does not show which of them were used since. */
import { isoTime } from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import type { Store } from '@writecheck/store/port';
import type { FoundReview, ReviewChange } from '@writecheck/store/port/reviews';
import { approvalNames } from '@writecheck/store/tables/review-rows';

const AT_ONCE = 100;

async function* approvedReviews(store: Store): AsyncGenerator<readonly FoundReview[]> {
  for (const { id: workspace } of await store.listWorkspaces()) {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const from = cursor === undefined ? {} : { cursor };
      const page = await store.listReviews({ workspace, state: 'approved', limit: AT_ONCE, ...from });
      if (page.kind !== 'page') throw new Error('the list of reviews was interrupted');
      if (page.reviews.length > 0) yield page.reviews;
      cursor = page.nextCursor;
    }
  }
}

/**
 * Runs before the log is continued, and without entries, which the old log must not get. INVARIANT: if the command is
 * killed after this, every approval of the backup is already worthless.
 */
export async function revokeApprovals(store: Store, nowMs: number): Promise<void> {
  for await (const reviews of approvedReviews(store)) {
    for (const review of reviews) {
      for (const item of approvalNames(review))
        await store.revokeAttestation(review.workspace, item, nowMs, null);
    }
  }
}

/** Runs on the continued log; resolves with how many were cancelled. */
export async function cancelApprovals(store: Store, nowMs: number): Promise<number> {
  let count = 0;
  for await (const reviews of approvedReviews(store)) {
    const outcome = await store.changeReviews(reviews.map((review) => cancelled(review, nowMs)));
    if (outcome.kind !== 'changed') {
      throw new CommandFailure('reviews changed in the meantime; stop the service, then try again');
    }
    count += reviews.length;
  }
  return count;
}

function cancelled({ isUsed: _, ...review }: FoundReview, nowMs: number): ReviewChange {
  const because = 'cancelled';
  const { id, workspace, intentDigest } = review;
  return {
    review: {
      ...review,
      version: review.version + 1,
      state: 'cancelled',
      document: JSON.stringify({ ...JSON.parse(review.document), because }),
    },
    entries: [
      {
        kind: 'review',
        event: 'cancelled',
        review: id,
        workspace,
        intentDigest,
        by: null,
        timestamp: isoTime(nowMs),
        details: { because, reason: null },
      },
    ],
    revokes: true,
  };
}
