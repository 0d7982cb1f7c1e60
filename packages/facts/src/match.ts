/** The match of a control or a token. Unlike in a policy, a member that the intent omits never matches. */
import type { WriteIntent } from '@writecheck/contract';
import { compileMatch, type Match } from '@writecheck/engine';

export type Fits = (intent: WriteIntent) => boolean;

/** In a policy, omitting a member must not escape a rule; here, omitting one must not reach a record. */
export function fitsOf(match: Match): Fits {
  const named = Object.keys(match) as (keyof Match)[];
  const fits = compileMatch(match);
  return (intent) => named.every((member) => typeof intent[member] === 'string') && fits(intent);
}
