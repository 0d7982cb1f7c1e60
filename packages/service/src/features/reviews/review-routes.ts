/** Opens, reads and lists reviews, and acts on them: verdicts, comments and cancelling. */
import { PAGE_DEFAULT_MAX, REVIEWS, type ReadOf, type ReadQueryOf } from '@writecheck/api';
import { given } from '@writecheck/contract';
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
      atReviewTime(parts, call, async (asking) =>
        answerReview(parts, asking, 200, await readFor(parts, asking, call.query.wait ?? 0)),
      ),
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

async function readFor(parts: ReviewParts, asking: ReviewCall, seconds: number): Promise<Done | Refusal> {
  const { call, workspace, nowMs } = asking;
  const id = call.params.id!;
  const wait = seconds === 0 ? null : parts.waits.begin(call.actor.id, workspace, id);
  if (wait === null) return readNow(parts, asking, id, nowMs);
  const stopListening = call.request.whenGone(() => wait.end());
  try {
    const startedMs = performance.now();
    let elapsedMs = 0;
    let first: Done | null = null;
    for (;;) {
      const now = await readNow(parts, asking, id, nowMs + elapsedMs);
      if (now.kind === 'refused') return now;
      first ??= now;
      const { state, version, expiresAtMs } = now.review;
      elapsedMs = Math.round(performance.now() - startedMs);
      const leftMs = Math.min(seconds * 1_000 - elapsedMs, expiresAtMs - nowMs - elapsedMs);
      const hasChanged = state !== 'open' || version !== first.review.version;
      if (hasChanged || leftMs <= 0 || wait.hasEnded || parts.waits.isOver) return now;
      await wait.next(leftMs);
      // The client left. A thousand that leave together must not cost a thousand reads.
      if (wait.hasEnded) return now;
      elapsedMs = Math.round(performance.now() - startedMs);
      const refusal = await call.refuseNow(nowMs + elapsedMs);
      if (refusal !== null) return refusal;
    }
  } finally {
    stopListening();
    wait.end();
  }
}

async function readNow(
  parts: ReviewParts,
  { workspace, viewer }: ReviewCall,
  id: string,
  nowMs: number,
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
