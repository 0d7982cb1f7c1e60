/** The match of a control or a token. Unlike in a policy, a member that the intent leaves out never matches. */
import type { WriteIntent } from '@writecheck/contract';
import { compileMatch, type Match } from '@writecheck/engine';

export type Fits = (intent: WriteIntent) => boolean;

/** In a policy, saying less must not escape a rule; here, saying less must not reach a record. */
export function fitsOf(match: Match): Fits {
  const named = Object.keys(match) as (keyof Match)[];
  const fits = compileMatch(match);
  return (intent) => named.every((member) => typeof intent[member] === 'string') && fits(intent);
}
