/**
 * Who works on a review. Comments say so, because everybody who may decide sees them, they are in the log with their
 * author, and a caller learns from them that somebody looks at it, but not who.
 */
import type { Review } from '@writecheck/api';
import type { Person } from '../../state/session.ts';

export const TAKEN = 'On it.';
export const RELEASED = 'Not on it any more.';

interface Taken {
  readonly by: NonNullable<Review['comments'][number]['by']>;
  readonly at: string;
}

/** INVARIANT: a caller may write the same words, and takes nothing by them. */
export function takenBy({ state, comments }: Pick<Review, 'state' | 'comments'>): Taken | null {
  if (state !== 'open') return null;
  const last = comments.findLast(
    ({ text, by }) => (text === TAKEN || text === RELEASED) && by !== undefined && by.kind !== 'checking_key',
  );
  return last === undefined || last.text === RELEASED ? null : { by: last.by!, at: last.at };
}

/** All owner keys are one author, as they are for verdicts. */
export function isMine({ by }: Taken, person: Person | undefined): boolean {
  return person === undefined ? by.kind === 'owner_key' : by.kind === 'person' && by.id === person.id;
}

/** Whether a comment says nothing else. */
export function isAboutTaking({ text, by }: Review['comments'][number]): boolean {
  return (text === TAKEN || text === RELEASED) && by?.kind !== 'checking_key';
}
