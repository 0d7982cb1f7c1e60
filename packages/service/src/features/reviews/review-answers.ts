/** What the review routes share: the time, the viewer, and the review as the response. */
import type { Actor } from '../../exchange/actor.ts';
import { type Answer, json } from '../../exchange/answer.ts';
import { clockRefusal, isRefusal, type Refusal } from '../../exchange/refusal.ts';
import type { KeyedCall } from '../../exchange/route.ts';
import { allowedLately } from './allowed-lately.ts';
import type { Commenter } from './author.ts';
import { shown, viewerOf } from './read-reviews.ts';
import type { Asking, Done } from './review-desk.ts';
import type { ReviewParts } from './review-parts.ts';

export interface ReviewCall extends Asking {
  readonly call: KeyedCall;
}

type Handling = (asking: ReviewCall) => Promise<Done | Answer | Refusal>;

/** Turns `Done` into the review as this caller sees it, 201 if it is new. */
export async function answerReview(
  parts: ReviewParts,
  call: KeyedCall,
  handle: Handling,
): Promise<Answer | Refusal> {
  const { actor, context } = call;
  const moment = parts.clock.at(context.nowMs);
  if (moment.kind !== 'now') return clockRefusal(moment);
  const { nowMs } = moment;
  const viewer = await viewerOf(parts.store, actor);
  const done = await handle({ call, workspace: actor.workspace, viewer, by: commenterOf(actor), nowMs });
  if ('status' in done || isRefusal(done)) return done;
  const [review] = await shown(parts, actor.workspace, viewer, [done.review], nowMs);
  const lately =
    viewer.kind === 'owner' ? { allowedLately: await allowedLately(parts, done.review, nowMs) } : {};
  return json(done.isNew ? 201 : 200, { review: { ...review, ...lately } });
}

/** INVARIANT: the role table lets no service key change a review; as a viewer it counts like an owner key. */
function commenterOf({ kind, id }: Actor): Commenter {
  return { kind: kind === 'service_key' ? 'owner_key' : kind, id };
}
