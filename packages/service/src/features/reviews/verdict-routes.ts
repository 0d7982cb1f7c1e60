/** Acts on a review: verdicts, comments, cancelling and reopening. */
import { REVIEWS, type ReadOf } from '@writecheck/api';
import type { ServiceParts } from '../../edge/service-parts.ts';
import { implement, type Named } from '../../exchange/implement.ts';
import { type Refusal, refuseAt } from '../../exchange/refusal.ts';
import type { KeyedCall, Route } from '../../exchange/route.ts';
import type { Author } from './author.ts';
import { cancel, comment } from './cancel-review.ts';
import { giveVerdict } from './give-verdict.ts';
import { withdraw } from './judge-verdict.ts';
import { type Asking, answerReview } from './review-answers.ts';
import { act, type Done, reopenReview } from './review-desk.ts';

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
    acting(REVIEWS.decideReview, async ({ workspace, viewer, by, nowMs }, id, sent) => {
      const { verdict, intentDigest, comment: why = null, assertion = null } = sent;
      if (verdict === 'reject' && why === null) return SAY_WHY;
      const given = { verdict, by: by as Author, intentDigest, comment: why, assertion };
      return act(parts, workspace, viewer, by, id, nowMs, (review, standingOf) =>
        giveVerdict(parts, review, given, standingOf, nowMs),
      );
    }),
    acting(REVIEWS.withdrawVerdict, ({ workspace, viewer, by, nowMs }, id) =>
      act(parts, workspace, viewer, by, id, nowMs, (review) => withdraw(review, by as Author, nowMs)),
    ),
    acting(REVIEWS.cancelReview, ({ workspace, viewer, by, nowMs }, id, { reason }) =>
      act(parts, workspace, viewer, by, id, nowMs, (review, standingOf) =>
        cancel(review, by, reason ?? null, standingOf, nowMs),
      ),
    ),
    acting(REVIEWS.reopenReview, ({ workspace, by, nowMs }, id, { reason }) =>
      reopenReview(parts, workspace, id, by, reason, nowMs),
    ),
    acting(REVIEWS.commentOnReview, async ({ workspace, viewer, by, nowMs }, id, { text }) => {
      const done = await act(parts, workspace, viewer, by, id, nowMs, (review) =>
        comment(review, by, text, nowMs),
      );
      return done.kind === 'refused' ? done : { ...done, isNew: true };
    }),
  ];
}
