/** What the signed-in user may do with a review, as far as the page can tell; the service has the last word. */
import type { Review } from '@writecheck/api';
import { hasRight, type Person } from '../../state/session.ts';
import { mayDecide } from './review-words.tsx';

export type MayDo = ReturnType<typeof mayDo>;

/** `isListed`: whether the service lists it among those for the user, which knows their keys; null while unknown. */
export function mayDo(review: Review, person: Person | undefined, isListed: boolean | null = null) {
  const { state, because, controls, verdicts, excludedByCaller = [] } = review;
  const named = controls.filter((control) => mayDecide(control, person));
  const isOpen = state === 'open';
  const isOwner = person === undefined || person.roles.includes('owner');
  const hasApproved = verdicts.some(({ by }) => isUser(by, person));
  const isBarred = isListed === false && isOpen && !hasApproved && named.length > 0;
  const mine = isBarred ? [] : named;
  return {
    /** The controls that the user's verdict counts for. */
    mine,
    hasApproved,
    /** Why the controls name the user and the service still counts no verdict of theirs; else null. */
    barred: isBarred ? whyBarred(review, named, person) : null,
    /** The caller says that it asks for this user, who then may not approve. */
    isExcluded:
      excludedByCaller.some(({ id }) => id === person?.id) && mine.every(({ selfReview }) => !selfReview),
    mayVote: isOpen && mine.length > 0 && !hasApproved,
    mayCancel: isOpen
      ? isOwner || mine.length > 0
      : state === 'approved' &&
        because === undefined &&
        (isOwner || (hasApproved && hasRight(person, 'cancelReview'))),
  };
}

/** Whether the user was invited, and so got a passkey, after the review was opened. */
export function isTooOld({ openedAt, controls }: Review, person: Person | undefined): boolean {
  return (
    Date.parse(person?.createdAt ?? '') > Date.parse(openedAt) &&
    controls.some((control) => control.identity === 'passkey' && mayDecide(control, person))
  );
}

/** The API does not say when a passkey was registered, nor who asked. */
function whyBarred(review: Review, named: Review['controls'], person: Person | undefined) {
  if (isTooOld(review, person))
    return { why: 'Your passkey is newer than this review.', who: 'Someone who joined earlier' };
  const mayBeNew = named.every(({ identity }) => identity === 'passkey');
  const why = `You asked for this write${mayBeNew ? ', or your passkey is newer' : ''}.`;
  return { why, who: 'Someone else' };
}

/** All owner keys are one author. */
export function isUser(by: Review['verdicts'][number]['by'], person: Person | undefined): boolean {
  return person === undefined ? by?.kind === 'owner_key' : by?.id === person.id;
}
