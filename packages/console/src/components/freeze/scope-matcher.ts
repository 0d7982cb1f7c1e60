/** Whether a freeze stops a write, by the rule of the service. */
import type { DecisionSummary, Freeze, Review } from '@writecheck/api';
import type { FreezeScope, WriteIntent } from '@writecheck/contract';
import { compileFreeze } from '@writecheck/engine';

/** For decisions in a list. */
export function matcherOf(scope: FreezeScope): (row: DecisionSummary) => boolean {
  const matches = compileFreeze(scope);
  return (row) => matches(namedIn(row), [row.keyId]);
}

/** The first freeze that stops the write of a review, whoever asked for it; null if none does. */
export function freezeOf({ intent, askedBy }: Review, freezes: readonly Freeze[]): Freeze | null {
  const keyIds = askedBy.map(({ keyId }) => keyId);
  return freezes.find(({ scope }) => compileFreeze(scope)(namedIn(intent), keyIds)) ?? null;
}

function namedIn(members: object): WriteIntent {
  const named = Object.entries(members).filter(([, value]) => value !== null);
  return Object.fromEntries(named) as unknown as WriteIntent;
}
