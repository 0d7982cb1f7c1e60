/** Who works on an open review, with a button to take or release it; `t` does the same. */
import type { Review } from '@writecheck/api';
import { commentOn } from '../../calls/reviews.ts';
import { Moment } from '../../components/moment.tsx';
import { nameOf } from '../../components/review/review-words.tsx';
import { useKeys } from '../../components/single-keys.ts';
import { RevealedText } from '../../components/text.tsx';
import { useRight, useSession } from '../../state/session.ts';
import { isMine, RELEASED, TAKEN, takenBy } from './taken.ts';
import type { Act } from './use-acts.ts';

export function TakenLine({
  review,
  act,
  isYours,
}: {
  readonly review: Review;
  readonly act: Act;
  /** Whether the user decides it; nobody else takes it. */
  readonly isYours: boolean;
}) {
  const person = useSession()?.person;
  const mayTake = useRight('commentOnReview') && isYours;
  const taken = takenBy(review);
  const isOwn = taken !== null && isMine(taken, person);
  const turn = () =>
    act.run(isOwn ? 'You released it.' : 'You took it. Everybody sees that.', () =>
      commentOn(review.id, isOwn ? RELEASED : TAKEN),
    );
  useKeys({ t: mayTake && !act.isBusy ? turn : null });
  return (
    <>
      {taken === null ? (
        <span class="quiet">nobody </span>
      ) : (
        <>
          <strong>{isOwn ? 'you' : <RevealedText text={nameOf(taken.by)} />}</strong>,{' '}
          <Moment at={taken.at} as="ago" />{' '}
        </>
      )}
      {mayTake && (
        <button type="button" class="small" disabled={act.isBusy} onClick={turn}>
          {isOwn ? 'Release' : taken === null ? 'Take it' : 'Take over'}
        </button>
      )}
    </>
  );
}
