/** What the signed-in user may do with a review, as far as the page can tell; the service has the last word. */
import type { Review } from '@writecheck/api';
import { hasRight, type Person } from '../../state/session.ts';
import { mayDecide } from './review-words.tsx';

export interface MayDo {
  /** The controls that the user's verdict counts for. */
  readonly mine: readonly Review['controls'][number][];
  readonly hasApproved: boolean;
  /** The caller says that it asks for this user, who then may not approve. */
  readonly isExcluded: boolean;
  readonly mayVote: boolean;
  readonly mayCancel: boolean;
  readonly mayReopen: boolean;
}

export function mayDo(review: Review, person: Person | undefined): MayDo {
  const { state, because, controls, verdicts, excludedByCaller = [] } = review;
  const mine = controls.filter((control) => mayDecide(control, person));
  const isOpen = state === 'open';
  const isOwner = person === undefined || person.roles.includes('owner');
  const hasApproved = verdicts.some(({ by }) => isUser(by, person));
  return {
    mine,
    hasApproved,
    isExcluded:
      excludedByCaller.some(({ id }) => id === person?.id) && mine.every(({ selfReview }) => !selfReview),
    mayVote: isOpen && mine.length > 0 && !hasApproved,
    mayCancel: isOpen
      ? isOwner || mine.length > 0
      : state === 'approved' &&
        because === undefined &&
        (isOwner || (hasApproved && hasRight(person, 'cancelReview'))),
    mayReopen: (state === 'rejected' || state === 'expired') && (isOwner || mine.length > 0),
  };
}

/** All owner keys are one author. */
export function isUser(by: Review['verdicts'][number]['by'], person: Person | undefined): boolean {
  return person === undefined ? by?.kind === 'owner_key' : by?.id === person.id;
}
