/** A change of a review that failed. If no response came, the review that is read next says whether it was saved. */
import type { Review } from '@writecheck/api';
import { useRef } from 'preact/hooks';
import type { Failure } from '../../api.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Moment } from '../../components/moment.tsx';
import { isUser } from '../../components/review/may-do.ts';
import { useSession } from '../../state/session.ts';
import type { Choice } from './confirm-verdict.tsx';

export function AfterOutage({
  failure,
  review,
  tried,
}: {
  readonly failure: Failure;
  /** As it was read last. */
  readonly review: Review;
  /** Null for a change that the review itself does not show. */
  readonly tried: Choice | null;
}) {
  const person = useSession()?.person;
  const first = useRef({ failure, review });
  if (first.current.failure !== failure) first.current = { failure, review };
  const isReadSince = first.current.review !== review;
  if (failure.code !== 'unreachable' || tried === null || tried === 'reopen')
    return <ErrorNote failure={failure} />;
  if (!isReadSince)
    return (
      <p class="note note-care" role="alert">
        <strong>We don’t know yet if this was saved.</strong> This page will tell as soon as the service
        responds.
      </p>
    );
  const own = review.verdicts.findLast(({ by, verdict }) => verdict === tried && isUser(by, person));
  if (own !== undefined)
    return (
      <p class="note note-good" role="status">
        <strong>Saved:</strong> you {tried === 'approve' ? 'approved' : 'rejected'} it at{' '}
        <Moment at={own.at} as="full" />.
      </p>
    );
  if (tried === 'cancel' && review.state === 'cancelled')
    return (
      <p class="note note-good" role="status">
        <strong>Saved:</strong> the review is cancelled.
      </p>
    );
  return (
    <p class="note note-care" role="status">
      <strong>Not saved:</strong> {notSaved(review, tried)}
    </p>
  );
}

const AGAIN = {
  approve: 'Approve it again.',
  reject: 'Reject it again.',
  cancel: 'Cancel it again.',
} as const;

function notSaved({ state }: Review, tried: keyof typeof AGAIN): string {
  if (state === 'open') return `this review is still open. ${AGAIN[tried]}`;
  if (tried === 'cancel') return 'the approval still stands. Take it back again.';
  return 'this review was closed without your verdict.';
}
