/** What a reviewer may do with a review. Every act is chosen first and confirmed in a dialog. */
import type { Review } from '@writecheck/api';
import { useState } from 'preact/hooks';
import type { Reply } from '../../api.ts';
import { cancelReview, withdrawVerdict } from '../../calls/reviews.ts';
import { titleOf } from '../../components/decision/write-title.tsx';
import type { CoveredWrite } from '../../components/review/covered.ts';
import type { MayDo } from '../../components/review/may-do.ts';
import { isGrave, type Warning } from '../../components/review/warnings.ts';
import { useKeys } from '../../components/single-keys.ts';
import { lastVerdict, noteInQueue, placeInQueue, useInboxPlace } from '../../state/inbox-order.ts';
import { go, href } from '../../state/route.ts';
import { useSession } from '../../state/session.ts';
import { AfterOutage } from './after-outage.tsx';
import { type Choice, ConfirmVerdict } from './confirm-verdict.tsx';
import { decideReviews } from './decide-reviews.ts';
import { useFreezesOf } from './frozen-note.tsx';
import { NextReview } from './next-review.tsx';
import { ProvenLine } from './proven-line.tsx';
import { SendingLine } from './sending-line.tsx';
import { Previous, Standing } from './standing.tsx';
import type { Act } from './use-acts.ts';

export function VerdictBar({
  review,
  may,
  write,
  warnings,
  areAllKnown,
  foldsLeft,
  act,
}: {
  readonly review: Review;
  readonly may: MayDo;
  readonly write: CoveredWrite;
  readonly warnings: readonly Warning[];
  /** Whether what happened around the write was read, or could not be, which is a warning. */
  readonly areAllKnown: boolean;
  readonly foldsLeft: number;
  readonly act: Act;
}) {
  const [choice, setChoice] = useState<Choice | null>(null);
  // Kept until the service has it: whoever typed a reason during an outage does not type it twice.
  const [tried, setTried] = useState<{ readonly choice: Choice; readonly text: string } | null>(null);
  const signedIn = useSession();
  const place = useInboxPlace(review.id);
  const isOpen = review.state === 'open';
  const canDecide = may.mayVote && write.digest === review.intentDigest && !act.isBusy;
  const mayApprove = canDecide && areAllKnown && !may.isExcluded && foldsLeft === 0;
  useKeys({
    a: mayApprove ? () => setChoice('approve') : null,
    r: canDecide ? () => setChoice('reject') : null,
  });
  const isSuspect = warnings.some(isGrave);
  const isFrozen = useFreezesOf([review]).size > 0 && isOpen;
  // What was caught, or approved all the same, is worth a look before the next one.
  const next = isSuspect ? null : (place?.next ?? null);
  const give = async (verdict: 'approve' | 'reject', text: string): Promise<Reply<unknown>> => {
    const results: Reply<unknown>[] = [];
    const shown = [{ review, digest: write.digest }];
    await decideReviews(signedIn, shown, verdict, text, (_, outcome) => results.push(outcome));
    return results[0]!;
  };
  const send = async (choice: Choice, text: string) => {
    const { id } = review;
    setChoice(null);
    setTried({ choice, text });
    const isDone = await carryOut(choice, text, id);
    if (isDone) setTried(null);
  };
  const carryOut = async (choice: Choice, text: string, id: string): Promise<boolean> => {
    if (choice === 'approve' || choice === 'reject') {
      const word = choice === 'approve' ? 'approval' : 'rejection';
      const isDone = await act.run(`Your ${word} is recorded.`, () => give(choice, text));
      if (!isDone) return false;
      const said = `${choice === 'approve' ? 'Approved' : 'Rejected'}: ${titleOf(review.intent)}`;
      lastVerdict.set({ id, said, next });
      if (next !== null) go(`/reviews/${next}`);
      return true;
    }
    return act.run('The review is cancelled.', () => cancelReview(id, text));
  };
  const mayTry = (choice: Choice) =>
    choice === 'approve' ? mayApprove : choice === 'reject' ? canDecide : may.mayCancel && !act.isBusy;
  const withdraw = async () => {
    const isDone = await act.run('Your approval is withdrawn.', () => withdrawVerdict(review.id));
    if (isDone) noteInQueue(review.id, 'waiting');
  };
  const again =
    tried === null || !mayTry(tried.choice)
      ? null
      : () => {
          // Only what stops a write is sent without being looked at again.
          if (tried.choice === 'reject') send('reject', tried.text);
          else setChoice(tried.choice);
        };
  const isIdle = !isOpen && !may.mayCancel && (place?.next ?? null) === null;
  const hasNews = act.failure !== null || act.done !== null || review.state === 'rejected';
  if (isIdle && !hasNews) return null;
  // The page says at its top what was caught, and leads on from there.
  const isOver = review.state === 'rejected' && isSuspect;
  // Nothing to do and nothing new: the bar need not stay in sight.
  const isQuiet = !isOpen && place === null && act.failure === null && act.done === null;
  const isSending = act.isBusy && !act.isUnknown && tried !== null;
  const verdicts = [
    <button
      key="approve"
      type="button"
      class={isSuspect || isFrozen ? '' : 'primary'}
      disabled={!mayApprove}
      onClick={() => setChoice('approve')}
    >
      {isSuspect ? 'Approve anyway …' : 'Approve …'}
    </button>,
    <button
      key="reject"
      type="button"
      class={isSuspect ? 'danger' : ''}
      disabled={!canDecide}
      onClick={() => setChoice('reject')}
    >
      Reject …
    </button>,
  ];
  return (
    <section
      class={`verdict-bar${isOver ? '' : ' card'}${isOver || isQuiet ? ' is-over' : ''}`}
      aria-label="Your verdict"
    >
      <AfterOutage act={act} review={review} tried={tried?.choice ?? null} onAgain={again} />
      {act.done === null && <Previous id={review.id} />}
      {act.done !== null && !isOver && (
        // The top of a review that is over says the same in green.
        <p class={isOpen ? 'note note-good' : 'small-text quiet'} role="status">
          {act.done}
        </p>
      )}
      {review.state === 'rejected' && !isOver && <ProvenLine review={review} />}
      {isOpen && <Standing review={review} may={may} foldsLeft={foldsLeft} />}
      <div class="row">
        {/* The button that is meant comes first. */}
        {isOpen && may.mine.length > 0 && (isSuspect ? verdicts.reverse() : verdicts)}
        {isFrozen && may.mine.length > 0 && (
          // On a phone the note above says it, and the bar stays one line.
          <span class="small-text wide-only">An approval has no effect while it is frozen.</span>
        )}
        {isOpen && may.hasApproved && (
          <button type="button" disabled={act.isBusy} onClick={withdraw}>
            Withdraw approval
          </button>
        )}
        {!isOpen && !isOver && act.done !== null && (place?.next ?? null) === null && (
          <NextReview after={[review.id]} isFocused={false} />
        )}
        {may.mayCancel && (
          // What undoes or ends a review is never the button that is meant.
          <details class="menu">
            <summary class="button">More</summary>
            <div>
              <button type="button" disabled={act.isBusy} onClick={() => setChoice('cancel')}>
                {isOpen ? 'Cancel review …' : 'Take back approval …'}
              </button>
            </div>
          </details>
        )}
        {isSending && <SendingLine choice={tried.choice} />}
        {isOpen && !isSending && may.mine.length > 0 && (
          <span class="quiet small-text wide-only">
            <kbd>a</kbd> approves, <kbd>r</kbd> rejects, <kbd>j</kbd> <kbd>k</kbd> move
          </span>
        )}
        {place !== null && !isOver && (
          <span class="row onward">
            {/* On a phone the bar stays one line. */}
            {isOpen && <span class="quiet small-text wide-only">{placeInQueue(place)}</span>}
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
          isMoving={next !== null}
          said={tried?.choice === choice ? tried.text : ''}
          onConfirm={(text) => send(choice, text)}
          onCancel={() => setChoice(null)}
        />
      )}
    </section>
  );
}
