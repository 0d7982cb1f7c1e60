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

export function TakenLine({ review, act }: { readonly review: Review; readonly act: Act }) {
  const person = useSession()?.person;
  const mayComment = useRight('commentOnReview');
  const taken = takenBy(review);
  const isOwn = taken !== null && isMine(taken, person);
  const mayTake = mayComment && !act.isBusy;
  const turn = () =>
    act.run(isOwn ? 'You released it.' : 'You took it. Everybody sees that.', () =>
      commentOn(review.id, isOwn ? RELEASED : TAKEN),
    );
  useKeys({ t: mayTake ? turn : null });
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
      {mayComment && (
        <button type="button" class="small" disabled={!mayTake} onClick={turn}>
          {isOwn ? 'Release' : taken === null ? 'Take it' : 'Take over'}
        </button>
      )}
    </>
  );
}
