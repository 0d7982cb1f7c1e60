/** Whether a freeze stops a write, by the rule of the service. */
import type { DecisionSummary, Freeze, Review } from '@writecheck/api';
import type { FreezeScope } from '@writecheck/contract';
import { compileFreeze } from '@writecheck/engine';
import { sentMembers } from '../decision/said-in-intent.ts';

/** For decisions in a list. */
export function matcherOf(scope: FreezeScope): (row: DecisionSummary) => boolean {
  const matches = compileFreeze(scope);
  return (row) => matches(sentMembers(row), [row.keyId]);
}

/** The first freeze that stops the write of a review, whoever asked for it; null if none does. */
export function freezeOf({ intent, askedBy }: Review, freezes: readonly Freeze[]): Freeze | null {
  const keyIds = askedBy.map(({ keyId }) => keyId);
  return freezes.find(({ scope }) => compileFreeze(scope)(sentMembers(intent), keyIds)) ?? null;
}
