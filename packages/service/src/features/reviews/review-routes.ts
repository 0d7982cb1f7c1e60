/** Opens, reads and lists reviews, and acts on them: verdicts, comments and cancelling. */
import { PAGE_DEFAULT_MAX, REVIEWS, type ReadOf, type ReadQueryOf } from '@writecheck/api';
import { given } from '@writecheck/contract';
import { NO_HEADERS } from '../../exchange/answer.ts';
import { type AnswerTo, answer, implement } from '../../exchange/implement.ts';
import { isRefusal, type Refusal, refuseAt } from '../../exchange/refusal.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { askForReview } from './ask-for-review.ts';
import type { Author, StandingOf } from './author.ts';
import { cancel, comment } from './cancel-review.ts';
import { couldGive } from './count-approvals.ts';
import { giveVerdict } from './give-verdict.ts';
import { withdraw } from './judge-verdict.ts';
import { act, type Done, open } from './manage-reviews.ts';
import { communityOf } from './people-standing.ts';
import { findReview, listReviews, NO_REVIEW, settled } from './read-reviews.ts';
import type { Review } from './review.ts';
import { answerReview, atReviewTime, type ReviewCall } from './review-answers.ts';
import type { ReviewParts } from './review-parts.ts';
import { standingVerdict } from './standing-verdict.ts';

const { openReview, readReview, listReviews: listing } = REVIEWS;

export function reviewRoutes({ reviews: parts }: ServiceParts): readonly Route[] {
  return [
    implement(openReview, (call, sent) =>
      atReviewTime(parts, call, async (asking) => {
        const done = await openFor(parts, asking, sent);
        return answerReview(parts, asking, done.kind === 'done' && done.isNew ? 201 : 200, done);
      }),
    ),
    implement(readReview, (call) =>
      atReviewTime(parts, call, async (asking) => {
        const done = await readOne(parts, asking, call.params.id);
        const isOpen = done.kind === 'done' && done.review.state === 'open';
        return answerReview(parts, asking, 200, done, isOpen ? READ_AGAIN : NO_HEADERS);
      }),
    ),
    implement(listing, (call) => atReviewTime(parts, call, (asking) => listFor(parts, asking, call.query))),
    implement(REVIEWS.decideReview, (call, sent) =>
      atReviewTime(parts, call, async (asking) => {
        const { verdict, intentDigest, comment: why = null, assertion = null } = sent;
        if (verdict === 'reject' && why === null) return COMMENT_MISSING;
        const given = { verdict, by: asking.by as Author, intentDigest, comment: why, assertion };
        const done = await act(parts, asking, call.params.id, (review, standingOf) =>
          giveVerdict(parts, review, given, standingOf, asking.nowMs),
        );
        return answerReview(parts, asking, 200, done);
      }),
    ),
    implement(REVIEWS.withdrawVerdict, (call) =>
      atReviewTime(parts, call, async (asking) => {
        const done = await act(parts, asking, call.params.id, (review) =>
          withdraw(review, asking.by as Author, asking.nowMs),
        );
        return answerReview(parts, asking, 200, done);
      }),
    ),
    implement(REVIEWS.cancelReview, (call, { reason = null }) =>
      atReviewTime(parts, call, async (asking) => {
        const done = await act(parts, asking, call.params.id, (review, standingOf) =>
          cancel(review, asking.by, reason, standingOf, asking.nowMs),
        );
        return answerReview(parts, asking, 200, done);
      }),
    ),
    implement(REVIEWS.commentOnReview, (call, { text }) =>
      atReviewTime(parts, call, async (asking) => {
        const done = await act(parts, asking, call.params.id, (review) =>
          comment(review, asking.by, text, asking.nowMs),
        );
        return answerReview(parts, asking, 201, done);
      }),
    ),
  ];
}

async function openFor(
  parts: ReviewParts,
  { call, viewer, nowMs }: ReviewCall,
  { decision_id: decisionId, justification, onBehalfOf, externalRef }: ReadOf<typeof openReview>,
): Promise<Done | Refusal> {
  const wanted = {
    decisionId,
    // An empty text counts as none.
    justification: justification || null,
    // A blank names nobody, and one at an end, which nobody sees, would name somebody else.
    onBehalfOf: onBehalfOf?.trim() || null,
    externalRef: externalRef ?? null,
  };
  const asked = await askForReview(parts, call.actor, viewer, wanted, nowMs);
  return isRefusal(asked) ? asked : open(parts, asked, nowMs);
}

/** How long a caller that waits for an open review leaves it. */
const READ_AGAIN = { 'retry-after': '2' };

async function readOne(
  parts: ReviewParts,
  { workspace, viewer, nowMs }: ReviewCall,
  id: string,
): Promise<Done | Refusal> {
  const review = await findReview(parts, workspace, viewer, id);
  if (review === null) return NO_REVIEW;
  const [now] = await settled(parts, workspace, [review], nowMs);
  return { kind: 'done', review: now!, isNew: false };
}

const FOR_ME = refuseAt('/for', '`for=me` is for reviewers, not for keys that send checks');

async function listFor(
  parts: ReviewParts,
  { call, viewer, by, nowMs }: ReviewCall,
  { for: forWhom, limit = PAGE_DEFAULT_MAX, ...filters }: ReadQueryOf<typeof listing>,
): Promise<AnswerTo<typeof listing> | Refusal> {
  if (forWhom === 'me' && by.kind === 'checking_key') return FOR_ME;
  const state = forWhom === 'me' ? 'open' : filters.state;
  // Nobody needs to act on a closed review.
  if (forWhom === 'me' && filters.state !== undefined && filters.state !== 'open') {
    return answer(listing, 200, { reviews: [], nextCursor: null });
  }
  const author = by as Author;
  const { standingOf } = await communityOf(parts.store, call.actor.workspace, [], by);
  const isWanted = (review: Review) =>
    (state === undefined || review.state === state) &&
    (forWhom === undefined || waitsFor(review, author, standingOf, nowMs));
  const query = given({ ...filters, state, workspace: call.actor.workspace, limit });
  const list = await listReviews(parts, viewer, query, isWanted, nowMs);
  if (list.kind === 'refused') return list;
  return answer(listing, 200, { reviews: list.reviews, nextCursor: list.nextCursor });
}

function waitsFor(review: Review, author: Author, standingOf: StandingOf, nowMs: number): boolean {
  const standing = standingOf(author, review);
  if (standing === null || !couldGive('reject', review, standing)) return false;
  return standingVerdict(review, author, standingOf, nowMs) === null;
}

const COMMENT_MISSING = refuseAt('/comment', 'a reject needs a `comment` that says why');
