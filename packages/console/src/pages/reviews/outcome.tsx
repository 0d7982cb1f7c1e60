/** How a closed review ended, and what that means for the agent. */
import type { Review } from '@writecheck/api';
import { Moment } from '../../components/moment.tsx';
import { RevealedText } from '../../components/revealed-text.tsx';
import { endOf } from '../../components/review/review-words.tsx';
import { href } from '../../state/route.ts';

export function Outcome({ review, usedBy }: { readonly review: Review; readonly usedBy: string | null }) {
  const { state, because, validUntil } = review;
  if (state === 'open') return null;
  if (state === 'approved' && because === undefined && validUntil !== null)
    return (
      <p class="note note-good">
        <DecidedBy review={review} />
        The agent can make this write once, until <Moment at={validUntil} as="full" />. It must check again
        with the approval.
      </p>
    );
  if (state === 'approved' && because === 'used')
    return (
      <p class="note note-good">
        <DecidedBy review={review} />
        The agent used this approval. It counts only once.{' '}
        {usedBy !== null && <a href={href(`/decisions/${usedBy}`)}>Show the write it allowed</a>}
      </p>
    );
  if (state === 'approved')
    return (
      <p class="note">
        <DecidedBy review={review} />
        This approval no longer counts.
      </p>
    );
  if (state === 'rejected')
    return (
      <p class="note note-bad">
        <DecidedBy review={review} />
        The agent may not make this write. Reopen it to change your mind.
      </p>
    );
  return (
    <p class="note">
      {state === 'expired'
        ? 'Nobody decided in time. The write stays paused.'
        : 'No verdict counts. The write stays paused.'}
    </p>
  );
}

/** Such as "Approved by Rita Reyes, signed with a passkey." */
function DecidedBy({ review }: { readonly review: Review }) {
  const isSigned = review.verdicts.at(-1)?.identity === 'passkey';
  return (
    <>
      <strong>
        <RevealedText text={endOf(review) ?? ''} />
        {isSigned ? ', signed with a passkey.' : '.'}
      </strong>{' '}
    </>
  );
}
