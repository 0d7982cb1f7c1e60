/** The match of a control or a token. Unlike in a policy, a member that the intent omits never matches. */
import type { WriteIntent } from '@writecheck/contract';
import { compileMatch, type Match } from '@writecheck/engine';

export type Fits = (intent: WriteIntent) => boolean;

/**
 * An omitted member does not match: in a policy omitting one must not escape a rule, here it must not reach a record.
 */
export function fitsOf(match: Match): Fits {
  const named = Object.keys(match) as (keyof Match)[];
  const fits = compileMatch(match);
  return (intent) => named.every((member) => typeof intent[member] === 'string') && fits(intent);
}
