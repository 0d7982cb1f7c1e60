/** Opens reviews, and applies what people and agents do to them. */
import { HOUR_MS } from '@writecheck/contract';
import type { OpenLimits } from '@writecheck/store/port/reviews';
import { isRefusal, type Refusal } from '../../exchange/refusal.ts';
import { newId } from '../../support/ids/new-id.ts';
import type { ActResult } from './act-result.ts';
import type { Commenter, StandingOf } from './author.ts';
import { untilCommitted } from './commit-changes.ts';
import { type NewReview, openReview, type ReviewContext } from './open-review.ts';
import { type Community, communityOf } from './people-standing.ts';
import { findReview, NO_REVIEW } from './read-reviews.ts';
import { type Review, reviewOf } from './review.ts';
import type { ReviewParts } from './review-parts.ts';
import { settle } from './settle-review.ts';
import type { Viewer } from './show-review.ts';

const OPEN_OF_KEY_MAX = 60;
const OPENED_OF_KEY_MAX = 60;
const OPEN_OF_WORKSPACE_MAX = 1_000;

/** The actor and the time. */
export interface ReviewAct {
  readonly workspace: string;
  readonly viewer: Viewer;
  readonly by: Commenter;
  /** Never behind the log: a review that has expired by the log's time stays expired. */
  readonly nowMs: number;
}

export interface Done {
  readonly kind: 'done';
  readonly review: Review;
  readonly isNew: boolean;
}

async function contextAt(
  { store, snapshotOf }: ReviewParts,
  workspace: string,
  reviews: readonly Review[],
  by: Commenter,
  nowMs: number,
): Promise<ReviewContext & Pick<Community, 'versions'>> {
  const { controlOf } = await snapshotOf(workspace);
  const community = await communityOf(store, workspace, reviews, by);
  return { ...community, controlOf, nowMs, newId: () => newId('rev_', nowMs) };
}

function limitsAt(nowMs: number): OpenLimits {
  return {
    openOfKeyMax: OPEN_OF_KEY_MAX,
    openedOfKeyMax: OPENED_OF_KEY_MAX,
    sinceMs: nowMs - HOUR_MS,
    openOfWorkspaceMax: OPEN_OF_WORKSPACE_MAX,
  };
}

export function open(parts: ReviewParts, asked: NewReview, nowMs: number): Promise<Done | Refusal> {
  const { workspace, intentDigest, keyKind } = asked.write;
  return untilCommitted<Done | Refusal>(parts, async () => {
    const found = (await parts.store.reviewsOfWrite(workspace, intentDigest, keyKind)).map(reviewOf);
    const context = await contextAt(parts, workspace, found, asked.by, nowMs);
    const existing = found.map((each) => settle(each, context.controlOf, nowMs));
    const opened = openReview(
      asked,
      existing.map(({ review }) => review),
      context,
    );
    if (opened.kind === 'refused') return { outcomes: existing, result: opened };
    const isNew = opened.kind === 'opened';
    // A review that settling already closed is not changed a second time.
    const also = isNew ? opened.also : [];
    return {
      outcomes: [...existing, ...also, opened.outcome],
      limits: isNew ? limitsAt(nowMs) : undefined,
      result: { kind: 'done', review: opened.outcome.review, isNew },
    };
  });
}

/** Applies an act to one review that the viewer sees. `happen` gets the review in its settled state. */
export function act(
  parts: ReviewParts,
  { workspace, viewer, by, nowMs }: ReviewAct,
  id: string,
  happen: (review: Review, standingOf: StandingOf) => ActResult | Promise<ActResult>,
): Promise<Done | Refusal> {
  return untilCommitted<Done | Refusal>(parts, async () => {
    const review = await findReview(parts, workspace, viewer, id);
    if (review === null) return NO_REVIEW;
    const { controlOf } = await parts.snapshotOf(workspace);
    const now = settle(review, controlOf, nowMs);
    const { standingOf, versions } = await communityOf(parts.store, workspace, [review], by);
    const outcome = await happen(now.review, standingOf);
    return isRefusal(outcome)
      ? { outcomes: [now], result: outcome }
      : {
          outcomes: [now, outcome],
          people: versions,
          result: { kind: 'done', review: outcome.review, isNew: false },
        };
  });
}
