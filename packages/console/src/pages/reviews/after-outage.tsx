/** A change of a review that failed. If no response came, the review that is read next says whether it was saved. */
import type { Review } from '@writecheck/api';
import { ErrorNote } from '../../components/error-note.tsx';
import { Moment } from '../../components/moment.tsx';
import { isUser } from '../../components/review/may-do.ts';
import { useSession } from '../../state/session.ts';
import type { Choice } from './confirm-verdict.tsx';
import type { Act } from './use-acts.ts';

export function AfterOutage({
  act: { failure, isUnknown },
  review,
  tried,
  onAgain,
}: {
  readonly act: Act;
  /** As it was read last. */
  readonly review: Review;
  /** Null for a change that the review itself does not show. */
  readonly tried: Choice | null;
  /** Null if the user may not try again. */
  readonly onAgain: (() => void) | null;
}) {
  const person = useSession()?.person;
  if (failure === null) return null;
  if (failure.code !== 'unreachable' || tried === null) return <ErrorNote failure={failure} />;
  if (isUnknown)
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
    <div class="note note-care row" role="status">
      <span>
        <strong>Not saved:</strong> {notSaved(review, tried)}
      </span>
      {onAgain !== null && (
        <button type="button" class="small" onClick={onAgain}>
          {AGAIN[tried]}
        </button>
      )}
    </div>
  );
}

const AGAIN = {
  approve: 'Approve again …',
  reject: 'Reject again',
  cancel: 'Cancel again …',
} as const;

function notSaved({ state }: Review, tried: keyof typeof AGAIN): string {
  if (state === 'open') return 'this review is still open.';
  if (tried === 'cancel') return 'the approval still stands.';
  return 'this review was closed without your verdict.';
}
