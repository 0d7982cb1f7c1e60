/** What a reviewer may do with a review. Every act is chosen first and confirmed in a dialog. */
import type { Review } from '@writecheck/api';
import { useState } from 'preact/hooks';
import type { Outcome } from '../../api.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { RevealedText } from '../../components/revealed-text.tsx';
import { go } from '../../state/route.ts';
import { useSession } from '../../state/session.ts';
import { type Choice, ConfirmVerdict } from './confirm-verdict.tsx';
import type { CoveredWrite } from './covered.ts';
import { decideReviews } from './decide-reviews.ts';
import { mayDecide, whoCan } from './review-words.tsx';
import { cancelReview, reopenReview, withdrawVerdict } from './reviews-api.ts';
import type { Act } from './use-acts.ts';

export function VerdictBar({
  review,
  write,
  warnings,
  foldsLeft,
  act,
}: {
  readonly review: Review;
  readonly write: CoveredWrite;
  readonly warnings: readonly string[];
  readonly foldsLeft: number;
  readonly act: Act;
}) {
  const [choice, setChoice] = useState<Choice | null>(null);
  const signedIn = useSession();
  const person = signedIn?.person;
  const mine = review.controls.filter((control) => mayDecide(control, person));
  const isSame = write.digest === review.intentDigest;
  const hasApproved = review.verdicts.some(({ by }) =>
    person === undefined ? by?.kind === 'owner_key' : by?.id === person.id,
  );
  const isOpen = review.state === 'open';
  const canDecide = isOpen && isSame && mine.length > 0 && !hasApproved && !act.isBusy;
  const isExcluded =
    (review.excludedByCaller ?? []).some(({ id }) => id === person?.id) &&
    mine.every(({ selfReview }) => !selfReview);
  const give = async (verdict: 'approve' | 'reject', text: string): Promise<Outcome<unknown>> => {
    const results: Outcome<unknown>[] = [];
    const shown = [{ review, digest: write.digest }];
    await decideReviews(signedIn, shown, verdict, text, (_, outcome) => results.push(outcome));
    return results[0]!;
  };
  const confirm = async (text: string) => {
    const { id } = review;
    setChoice(null);
    if (choice === 'approve') await act.run('Your approval is recorded.', () => give('approve', text));
    if (choice === 'reject') await act.run('Your rejection is recorded.', () => give('reject', text));
    if (choice === 'cancel') await act.run('The review is cancelled.', () => cancelReview(id, text));
    if (choice === 'reopen')
      await act.run('A new review is open.', async () => {
        const outcome = await reopenReview(id, text);
        if (outcome.kind === 'success') go(`/reviews/${outcome.value.review.id}`);
        return outcome;
      });
  };
  return (
    <section class="card verdict-bar" aria-label="Your verdict">
      {act.failure !== null && <ErrorNote failure={act.failure} />}
      {act.done !== null && (
        <p class="note note-good" role="status">
          {act.done}
        </p>
      )}
      {isOpen && <Standing review={review} mine={mine.length} hasApproved={hasApproved} />}
      {isOpen && isExcluded && (
        <p class="note note-warn">
          The caller says it asks on your behalf, so you can’t approve. You can reject or cancel.
        </p>
      )}
      {isOpen && canDecide && foldsLeft > 0 && (
        <p>
          To approve, first show {foldsLeft === 1 ? 'the folded part' : `the ${foldsLeft} folded parts`} of
          the write.
        </p>
      )}
      <div class="row">
        {isOpen && (
          <>
            <button
              type="button"
              class="primary"
              disabled={!canDecide || isExcluded || foldsLeft > 0}
              onClick={() => setChoice('approve')}
            >
              Approve …
            </button>
            <button type="button" disabled={!canDecide} onClick={() => setChoice('reject')}>
              Reject …
            </button>
          </>
        )}
        {isOpen && hasApproved && (
          <button
            type="button"
            disabled={act.isBusy}
            onClick={() => act.run('Your approval is withdrawn.', () => withdrawVerdict(review.id))}
          >
            Withdraw approval
          </button>
        )}
        {(isOpen || review.state === 'approved') && (
          <button type="button" disabled={act.isBusy} onClick={() => setChoice('cancel')}>
            {isOpen ? 'Cancel review …' : 'Take back approval …'}
          </button>
        )}
        {(review.state === 'rejected' || review.state === 'expired') && (
          <button type="button" disabled={act.isBusy} onClick={() => setChoice('reopen')}>
            Reopen …
          </button>
        )}
      </div>
      {choice !== null && (
        <ConfirmVerdict
          key={choice}
          choice={choice}
          review={review}
          write={write}
          warnings={warnings}
          onConfirm={confirm}
          onCancel={() => setChoice(null)}
        />
      )}
    </section>
  );
}

/** Says whether the user's verdict counts here, and otherwise whose does. */
function Standing({
  review,
  mine,
  hasApproved,
}: {
  readonly review: Review;
  readonly mine: number;
  readonly hasApproved: boolean;
}) {
  const person = useSession()?.person;
  const others = review.controls.filter((control) => !mayDecide(control, person));
  const needsGroup = others.every(({ groups }) => groups !== null);
  const why =
    person !== undefined
      ? needsGroup
        ? 'It is for members of other groups.'
        : 'Your role does not review.'
      : needsGroup
        ? 'It is for members of certain groups, and an owner key is in none.'
        : 'This control needs a signed-in person; an owner key cannot approve it.';
  if (hasApproved) return <p class="note">You approved this. It needs further approvals.</p>;
  if (mine === 0)
    return (
      <p class="note note-warn">
        <strong>You can’t decide this review.</strong> {why} Who can: {whoCan(review.controls)}.
      </p>
    );
  if (others.length === 0) return null;
  return (
    <p class="note">
      Your verdict doesn’t count for{' '}
      {others.map(({ controlId }, at) => [
        at > 0 && ', ',
        <code key={controlId}>
          <RevealedText text={controlId} />
        </code>,
      ])}
      . {why}
    </p>
  );
}
