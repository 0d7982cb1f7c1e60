/** A review's state as a badge, and why an approval is no longer valid. */
import type { Review } from '@writecheck/api';
import type { ReviewCause } from '@writecheck/contract';
import { href } from '../../state/route.ts';
import { Moment } from '../moment.tsx';
import { badgeOf } from './review-words.tsx';
import type { Use } from './use-of-approval.ts';

const BECAUSE: { readonly [because in ReviewCause]: string } = {
  used: 'used',
  run_out: 'ran out unused',
  outdated: 'the review rule changed',
  cancelled: '',
  disabled: 'its approver was disabled or revoked',
};

export function StateBadge({
  review,
  large,
  use,
}: {
  readonly review: Review;
  readonly large?: boolean;
  /** The allow that used its approval, if that is known. */
  readonly use?: Use | undefined;
}) {
  const because = review.because === undefined ? '' : BECAUSE[review.because];
  const { word, tone } = badgeOf(review);
  return (
    <>
      <span class={`badge state-badge ${tone}${large ? ' large' : ''}`}>{word}</span>
      {because !== '' && (
        <span class="because small-text quiet">
          {use === undefined ? (
            because
          ) : (
            <a href={href(`/decisions/${use.decisionId}`)}>
              used <Moment at={use.at} as="brief" />
            </a>
          )}
        </span>
      )}
    </>
  );
}
