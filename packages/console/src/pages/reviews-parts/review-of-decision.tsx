/** On a paused decision: the reviews of its write, or a way to open one. */
import type { DecisionResponse } from '@writecheck/contract';
import { useState } from 'preact/hooks';
import type { Failure } from '../../api.ts';
import { CallerText } from '../../components/caller-text.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Moment } from '../../components/moment.tsx';
import { go, href } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';
import { StateBadge } from './review-words.tsx';
import { listReviews, openReview } from './reviews-api.ts';

const SHOWN_MAX = 3;

export function ReviewOfDecision({ response }: { readonly response: DecisionResponse }) {
  const { intentDigest, review: offer, decision_id: decisionId } = response;
  const { value, failure, reload } = useLoad(`reviews of ${intentDigest}`, (signal) =>
    listReviews({ intentDigest, limit: String(SHOWN_MAX) }, signal),
  );
  const [refused, setRefused] = useState<Failure | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const reviews = value?.reviews ?? [];
  const open = async () => {
    setIsBusy(true);
    setRefused(null);
    const outcome = await openReview(decisionId);
    setIsBusy(false);
    if (outcome.kind === 'failure') setRefused(outcome);
    else go(`/reviews/${outcome.value.review.id}`);
  };
  if (offer === undefined && reviews.length === 0) return null;
  return (
    <section class="of-decision" aria-labelledby="review">
      <h3 id="review">Review</h3>
      {failure !== null && <ErrorNote failure={failure} onRetry={reload} />}
      {reviews.length > 0 && (
        <ul class="brief">
          {reviews.map((review) => (
            <li key={review.id}>
              <StateBadge review={review} /> <a href={href(`/reviews/${review.id}`)}>Show review</a>{' '}
              <span class="quiet small-text">
                <Moment at={review.resolvedAt ?? review.openedAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {offer !== undefined && value !== null && !reviews.some(({ state }) => state === 'open') && (
        <>
          <p>
            A person can approve this write for{' '}
            {offer.controls.map((controlId, at) => [
              at > 0 && ', ',
              <strong key={controlId}>
                <CallerText text={controlId} />
              </strong>,
            ])}
            .
          </p>
          {refused !== null && <ErrorNote failure={refused} />}
          <div class="row">
            <button type="button" class="primary" disabled={isBusy} onClick={open}>
              Open a review
            </button>
          </div>
        </>
      )}
    </section>
  );
}
