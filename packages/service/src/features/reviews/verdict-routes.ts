/** Acts on a review: verdicts, comments, cancelling and reopening. */
import { REVIEWS, type ReadOf } from '@writecheck/api';
import { implement, type Named } from '../../exchange/implement.ts';
import { type Refusal, refuseAt } from '../../exchange/refusal.ts';
import type { KeyedCall, Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import type { Author } from './author.ts';
import { cancel, comment } from './cancel-review.ts';
import { giveVerdict } from './give-verdict.ts';
import { withdraw } from './judge-verdict.ts';
import { answerReview } from './review-answers.ts';
import { type Asking, act, type Done, reopenReview } from './review-desk.ts';

const SAY_WHY = refuseAt('/comment', 'a reject needs a `comment` that says why');

export function verdictRoutes({ reviews: parts }: ServiceParts): readonly Route[] {
  /** A route that responds with the review. */
  function acting<const O extends Named & { readonly access: 'managing' | 'either' }>(
    operation: O,
    handle: (asking: Asking, id: string, sent: ReadOf<O>) => Promise<Done | Refusal>,
  ): Route {
    return implement<Named>(operation, (call, sent) =>
      answerReview(parts, call as KeyedCall, (asking) => handle(asking, call.params.id!, sent as ReadOf<O>)),
    );
  }

  return [
    acting(REVIEWS.decideReview, async (asking, id, sent) => {
      const { verdict, intentDigest, comment: why = null, assertion = null } = sent;
      if (verdict === 'reject' && why === null) return SAY_WHY;
      const given = { verdict, by: asking.by as Author, intentDigest, comment: why, assertion };
      return act(parts, asking, id, (review, standingOf) =>
        giveVerdict(parts, review, given, standingOf, asking.nowMs),
      );
    }),
    acting(REVIEWS.withdrawVerdict, (asking, id) =>
      act(parts, asking, id, (review) => withdraw(review, asking.by as Author, asking.nowMs)),
    ),
    acting(REVIEWS.cancelReview, (asking, id, { reason }) =>
      act(parts, asking, id, (review, standingOf) =>
        cancel(review, asking.by, reason ?? null, standingOf, asking.nowMs),
      ),
    ),
    acting(REVIEWS.reopenReview, (asking, id, { reason }) => reopenReview(parts, asking, id, reason)),
    acting(REVIEWS.commentOnReview, async (asking, id, { text }) => {
      const done = await act(parts, asking, id, (review) => comment(review, asking.by, text, asking.nowMs));
      return done.kind === 'refused' ? done : { ...done, isNew: true };
    }),
  ];
}
