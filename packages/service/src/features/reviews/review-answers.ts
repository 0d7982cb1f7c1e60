/** Shared by the review routes: the time, the viewer, and the review as the response. */
import { REVIEWS } from '@writecheck/api';
import type { Actor } from '../../exchange/actor.ts';
import { NO_HEADERS } from '../../exchange/answer.ts';
import { type AnswerTo, answer } from '../../exchange/implement.ts';
import { atLogTime, type Refusal } from '../../exchange/refusal.ts';
import type { KeyedCall } from '../../exchange/route.ts';
import { allowedLately } from './allowed-lately.ts';
import type { Commenter } from './author.ts';
import type { Done, ReviewAct } from './manage-reviews.ts';
import { shown, viewerOf } from './read-reviews.ts';
import type { ReviewParts } from './review-parts.ts';

export interface ReviewCall extends ReviewAct {
  readonly call: KeyedCall;
}

/** Handles the call for the caller as a viewer, at a time that can be trusted. */
export async function atReviewTime<A>(
  parts: ReviewParts,
  call: KeyedCall,
  handle: (asking: ReviewCall) => Promise<A>,
): Promise<A | Refusal> {
  const { actor, context } = call;
  return atLogTime(parts.clock, context, async (nowMs) => {
    const viewer = await viewerOf(parts.store, actor);
    return handle({ call, workspace: actor.workspace, viewer, by: commenterOf(actor), nowMs });
  });
}

/** The review as this caller sees it; every operation that returns a review uses this shape. */
export async function answerReview<const S extends 200 | 201>(
  parts: ReviewParts,
  { workspace, viewer, nowMs }: ReviewAct,
  status: S,
  done: Done | Refusal,
  headers = NO_HEADERS,
): Promise<AnswerTo<typeof REVIEWS.openReview, S> | Refusal> {
  if (done.kind === 'refused') return done;
  const [review] = await shown(parts, workspace, viewer, [done.review], nowMs);
  const lately =
    viewer.kind === 'owner' ? { allowedLately: await allowedLately(parts, done.review, nowMs) } : {};
  const one = { review: { ...review!, ...lately } };
  return answer<typeof REVIEWS.openReview, 200 | 201>(REVIEWS.openReview, status, one, headers) as AnswerTo<
    typeof REVIEWS.openReview,
    S
  >;
}

/** INVARIANT: the role table lets no service key change a review; as a viewer it counts like an owner key. */
function commenterOf({ kind, id }: Actor): Commenter {
  return { kind: kind === 'service_key' ? 'owner_key' : kind, id };
}
