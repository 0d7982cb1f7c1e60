/** What a reviewer may do with a review. Every act is chosen first and confirmed in a dialog. */
import type { Review } from '@writecheck/api';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { Outcome } from '../../api.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Moment } from '../../components/moment.tsx';
import { RevealedText } from '../../components/revealed-text.tsx';
import { isForTheField } from '../../components/shortcuts.tsx';
import { lastVerdict, useInboxPlace } from '../../state/inbox-order.ts';
import { hasRight } from '../../state/rights.ts';
import { go, href } from '../../state/route.ts';
import { useSession } from '../../state/session.ts';
import { useStore } from '../../state/store.ts';
import { titleOf } from '../decisions-parts/write-title.tsx';
import { type Choice, ConfirmVerdict } from './confirm-verdict.tsx';
import type { CoveredWrite } from './covered.ts';
import { decideReviews } from './decide-reviews.ts';
import { NextReview } from './next-review.tsx';
import { ProvenLine } from './proven-line.tsx';
import { mayDecide, nameOf, whoCan } from './review-words.tsx';
import { cancelReview, reopenReview, withdrawVerdict } from './reviews-api.ts';
import { isMine, takenBy } from './taken.ts';
import type { Act } from './use-acts.ts';
import { isGrave, type Warning } from './warnings.ts';

export function VerdictBar({
  review,
  write,
  warnings,
  foldsLeft,
  act,
}: {
  readonly review: Review;
  readonly write: CoveredWrite;
  readonly warnings: readonly Warning[];
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
  const isOwner = person === undefined || person.roles.includes('owner');
  const taken = takenBy(review);
  const place = useInboxPlace(review.id);
  const canDecide = isOpen && isSame && mine.length > 0 && !hasApproved && !act.isBusy;
  const isExcluded =
    (review.excludedByCaller ?? []).some(({ id }) => id === person?.id) &&
    mine.every(({ selfReview }) => !selfReview);
  const mayCancel = isOpen
    ? isOwner || mine.length > 0
    : review.state === 'approved' &&
      review.because === undefined &&
      (isOwner || (hasApproved && hasRight(person, 'cancelReview')));
  const mayReopen =
    (review.state === 'rejected' || review.state === 'expired') &&
    (isOwner || review.controls.some((control) => mayDecide(control, person)));
  const mayApprove = canDecide && !isExcluded && foldsLeft === 0;
  // As soon as the button is there: a key pressed before the next frame would be lost.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isForTheField(event)) return;
      if (event.key === 'a' && mayApprove) setChoice('approve');
      else if (event.key === 'r' && canDecide) setChoice('reject');
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [mayApprove, canDecide]);
  const give = async (verdict: 'approve' | 'reject', text: string): Promise<Outcome<unknown>> => {
    const results: Outcome<unknown>[] = [];
    const shown = [{ review, digest: write.digest }];
    await decideReviews(signedIn, shown, verdict, text, (_, outcome) => results.push(outcome));
    return results[0]!;
  };
  const isCaught = (chosen: Choice) => chosen === 'reject' && warnings.some(isGrave);
  const confirm = async (text: string) => {
    const { id } = review;
    setChoice(null);
    if (choice === 'approve' || choice === 'reject') {
      const word = choice === 'approve' ? 'approval' : 'rejection';
      const isDone = await act.run(`Your ${word} is recorded.`, () => give(choice, text));
      if (!isDone) return;
      // What was caught is worth a look before the next one.
      const next = isCaught(choice) ? null : (place?.next ?? null);
      const said = `${choice === 'approve' ? 'Approved' : 'Rejected'}: ${titleOf(review.intent)}`;
      lastVerdict.set({ id, said, next });
      if (next !== null) go(`/reviews/${next}`);
    }
    if (choice === 'cancel') await act.run('The review is cancelled.', () => cancelReview(id, text));
    if (choice === 'reopen')
      await act.run('A new review is open.', async () => {
        const outcome = await reopenReview(id, text);
        if (outcome.kind === 'success') go(`/reviews/${outcome.value.review.id}`);
        return outcome;
      });
  };
  const isIdle = !isOpen && !mayCancel && !mayReopen && place === null;
  const hasNews = act.failure !== null || act.done !== null || review.state === 'rejected';
  if (isIdle && !hasNews) return null;
  const isSuspect = warnings.some(isGrave);
  // The page says at its top what was caught, and leads on from there.
  const isOver = review.state === 'rejected' && isSuspect;
  const approve = (
    <button
      key="approve"
      type="button"
      class={isSuspect ? '' : 'primary'}
      disabled={!mayApprove}
      onClick={() => setChoice('approve')}
    >
      Approve …
    </button>
  );
  const reject = (
    <button
      key="reject"
      type="button"
      class={isSuspect ? 'danger' : ''}
      disabled={!canDecide}
      onClick={() => setChoice('reject')}
    >
      Reject …
    </button>
  );
  return (
    <section class="card verdict-bar" aria-label="Your verdict">
      {act.failure !== null && <ErrorNote failure={act.failure} />}
      {act.done === null && <Previous id={review.id} />}
      {act.done !== null && !isOver && (
        <p class="note note-good" role="status">
          {act.done}
        </p>
      )}
      {review.state === 'rejected' && !isOver && <ProvenLine decisionId={review.decisionId} />}
      {isOpen && <Standing review={review} mine={mine.length} hasApproved={hasApproved} />}
      {isOpen && taken !== null && !isMine(taken, person) && (
        <p class="note">
          <RevealedText text={nameOf(taken.by)} /> took this <Moment at={taken.at} as="ago" />. Ask before you
          decide it.
        </p>
      )}
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
        {/* The button that is meant comes first. */}
        {isOpen && (isSuspect ? [reject, approve] : [approve, reject])}
        {isOpen && hasApproved && (
          <button
            type="button"
            disabled={act.isBusy}
            onClick={() => act.run('Your approval is withdrawn.', () => withdrawVerdict(review.id))}
          >
            Withdraw approval
          </button>
        )}
        {mayCancel && (
          <button type="button" disabled={act.isBusy} onClick={() => setChoice('cancel')}>
            {isOpen ? 'Cancel review …' : 'Take back approval …'}
          </button>
        )}
        {mayReopen && (
          <button type="button" class="plain" disabled={act.isBusy} onClick={() => setChoice('reopen')}>
            Reopen …
          </button>
        )}
        {isOpen && mine.length > 0 && (
          <span class="quiet small-text wide-only">
            <kbd>a</kbd> approves, <kbd>r</kbd> rejects, <kbd>t</kbd> takes it, <kbd>j</kbd> <kbd>k</kbd> move
          </span>
        )}
        {!isOpen && !isOver && act.done !== null && (place?.next ?? null) === null && (
          <NextReview id={review.id} isFocused={false} />
        )}
        {place !== null && !isOver && (
          <span class="row onward">
            <span class="quiet small-text">
              {place.number} of {place.count}
            </span>
            {place.next !== null && (
              <a class={isOpen ? 'button' : 'button primary'} href={href(`/reviews/${place.next}`)}>
                Next
              </a>
            )}
          </span>
        )}
      </div>
      {choice !== null && (
        <ConfirmVerdict
          key={choice}
          choice={choice}
          review={review}
          write={write}
          warnings={warnings}
          isMoving={place !== null && place.next !== null && !isCaught(choice)}
          onConfirm={confirm}
          onCancel={() => setChoice(null)}
        />
      )}
    </section>
  );
}

/** What was decided just before; gone once the user leaves this review. */
function Previous({ id }: { readonly id: string }) {
  const before = useStore(lastVerdict);
  useEffect(
    () => () => {
      const last = lastVerdict.get();
      if (last?.next === id) lastVerdict.set({ ...last, next: null });
    },
    [id],
  );
  if (before?.next !== id) return null;
  return (
    <p class="small-text quiet" role="status">
      Previous:{' '}
      <a href={href(`/reviews/${before.id}`)}>
        <RevealedText text={before.said} />
      </a>
    </p>
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
