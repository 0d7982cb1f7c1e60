/** Gives verdicts on one or several reviews, under one passkey prompt if any of them needs one. */
import type { Assertion, Review } from '@writecheck/api';
import type { Reply, Success } from '../../api.ts';
import { giveVerdict } from '../../calls/reviews.ts';
import { isSigned, mayDecide } from '../../components/review/review-words.tsx';
import { noteDecided } from '../../open-reviews.ts';
import { noteInQueue } from '../../state/inbox-order.ts';
import type { Session } from '../../state/session.ts';

interface Decided {
  readonly review: Review;
  /** The page's own, of the write as it was shown. */
  readonly digest: string;
}

/** Calls `onDone` after each. A failed prompt fails all of them, and none is sent. */
export async function decideReviews(
  signedIn: Session | null,
  decided: readonly Decided[],
  verdict: 'approve' | 'reject',
  comment: string,
  onDone: (review: Review, outcome: Reply<unknown>) => void,
): Promise<void> {
  const person = signedIn?.person;
  const spokenFor = (review: Review) => review.controls.filter((control) => mayDecide(control, person));
  const toSign = decided.filter(({ review }) => isSigned(review, person));
  let signed: Success<Assertion> | null = null;
  if (toSign.length > 0) {
    const { signVerdicts } = await import('../../passkey.ts');
    const outcome = await signVerdicts(
      toSign.map(({ review, digest }) => ({
        workspace: signedIn?.workspace.id ?? '',
        review: review.id,
        intentDigest: digest,
        controls: spokenFor(review).map(({ controlId }) => controlId),
        verdict,
        by: person?.id ?? '',
        comment: comment === '' ? null : comment,
      })),
    );
    if (outcome.kind === 'failure') {
      for (const { review } of decided) onDone(review, outcome);
      return;
    }
    signed = outcome;
  }
  for (const each of decided) {
    const assertion = isSigned(each.review, person) ? signed?.value : undefined;
    const outcome = await giveVerdict(each.review.id, verdict, each.digest, comment, assertion);
    if (outcome.kind === 'success') {
      noteDecided();
      noteInQueue(each.review.id, 'over');
    }
    onDone(each.review, outcome);
  }
}
