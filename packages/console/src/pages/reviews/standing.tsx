/** Above the buttons of a review: whose verdict counts, and what was decided just before. */
import type { Review } from '@writecheck/api';
import { useEffect } from 'preact/hooks';
import { ControlName } from '../../components/control-name.tsx';
import type { MayDo } from '../../components/review/may-do.ts';
import { mayDecide, whoCan } from '../../components/review/review-words.tsx';
import { RevealedText } from '../../components/text.tsx';
import { lastVerdict } from '../../state/inbox-order.ts';
import { href } from '../../state/route.ts';
import { useSession } from '../../state/session.ts';
import { useStore } from '../../state/store.ts';

export function Standing({
  review,
  may,
  foldsLeft,
}: {
  readonly review: Review;
  readonly may: MayDo;
  readonly foldsLeft: number;
}) {
  return (
    <>
      <Counts review={review} may={may} />
      {may.isExcluded && (
        <p class="note note-warn">
          The caller says it asks on your behalf, so you can’t approve. You can reject or cancel.
        </p>
      )}
      {may.mayVote && foldsLeft > 0 && (
        <p>
          To approve, first show {foldsLeft === 1 ? 'the folded part' : `the ${foldsLeft} folded parts`} of
          the write.
        </p>
      )}
    </>
  );
}

/** Says whether the user's verdict counts here, and otherwise whose does. */
function Counts({ review, may }: { readonly review: Review; readonly may: MayDo }) {
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
  if (may.hasApproved) return <p class="note">You approved this. It needs further approvals.</p>;
  if (may.barred !== null)
    return (
      <p class="note note-warn">
        <strong>You can’t decide this review.</strong> {may.barred.why} {may.barred.who} must decide.
      </p>
    );
  if (may.mine.length === 0)
    return (
      <p class="note note-warn">
        <strong>You can’t decide this review.</strong> {why} Who can: {whoCan(review.controls)}.
      </p>
    );
  if (others.length === 0) return null;
  return (
    <p class="note">
      Your verdict doesn’t count for{' '}
      {others.map(({ controlId }, at) => [at > 0 && ', ', <ControlName key={controlId} id={controlId} />])}.{' '}
      {why}
    </p>
  );
}

/** What was decided just before; gone once the user leaves this review. */
export function Previous({ id }: { readonly id: string }) {
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
