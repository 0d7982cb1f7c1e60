/** How a closed review ended, and what that means for the agent. */

import type { Review } from '@writecheck/api';
import type { ComponentChildren } from 'preact';
import { Moment } from '../../components/moment.tsx';
import { endOf } from '../../components/review/review-words.tsx';
import type { Use } from '../../components/review/use-of-approval.ts';
import { RevealedText } from '../../components/text.tsx';
import { href } from '../../state/route.ts';

export function Outcome({ review, usedBy }: { readonly review: Review; readonly usedBy: Use | null }) {
  const { state, because, validUntil } = review;
  if (state === 'open') return null;
  if (state === 'approved' && because === undefined && validUntil !== null)
    return (
      <Ended review={review} tone="note-allow">
        The agent can make this write once, until <Moment at={validUntil} as="full" />, when it checks again
        with the approval.
      </Ended>
    );
  if (state === 'approved' && because === 'used')
    return (
      <Ended review={review} tone="note-allow">
        The agent used this approval
        {usedBy !== null && (
          <>
            {' '}
            at <Moment at={usedBy.at} />
          </>
        )}
        . It counts only once.{' '}
        {usedBy !== null && <a href={href(`/decisions/${usedBy.decisionId}`)}>Show the write it allowed</a>}
      </Ended>
    );
  if (state === 'approved') return <Ended review={review}>This approval no longer counts.</Ended>;
  if (state === 'rejected')
    return (
      <Ended review={review} tone="note-bad">
        The agent may not make this write.
      </Ended>
    );
  return (
    <p class="note">
      {state === 'expired'
        ? 'Nobody decided in time. The write stayed paused.'
        : 'No verdict counts. The write stayed paused.'}
    </p>
  );
}

/** Begins such as "Approved by Rita Reyes, signed with a passkey." */
function Ended({
  review,
  tone = '',
  children,
}: {
  readonly review: Review;
  readonly tone?: string;
  readonly children: ComponentChildren;
}) {
  const isSigned = review.verdicts.at(-1)?.identity === 'passkey';
  return (
    <p class={`note ${tone}`}>
      <strong>
        <RevealedText text={endOf(review) ?? ''} />
        {isSigned ? ', signed with a passkey.' : '.'}
      </strong>{' '}
      {children}
    </p>
  );
}
