/** The draws that a test supposes for the limits that apply to its intent. */
import {
  type AttestationChecks,
  amountOfNumber,
  amountOfText,
  drawnAt,
  type LimitReading,
  NO_DRAWS,
  readingOf,
  stepOf,
  type WriteIntent,
} from '@writecheck/contract';
import { limitsOn } from '../apply-limits.ts';
import type { PolicySnapshot } from '../policy/snapshot.ts';

/** The key of every test, for limits that count by key. */
export const SUPPOSED_KEY = 'key_00000000000000000000000000000000';

/** Supposes that everything was drawn at that moment. */
export function supposeDrawn(
  intent: WriteIntent,
  checks: readonly AttestationChecks[],
  snapshot: PolicySnapshot,
  nowMs: number,
  drawn: { readonly [limitId: string]: number | string },
): readonly LimitReading[] {
  return limitsOn(intent, checks, snapshot, nowMs, SUPPOSED_KEY).flatMap(({ limit, group }) => {
    if (group === null) return [];
    const said = Object.hasOwn(drawn, limit.id) ? drawn[limit.id]! : 0;
    // INVARIANT: the shape of a test has refused every other amount.
    const amount = (typeof said === 'number' ? amountOfNumber(said) : amountOfText(said)) ?? 0n;
    const draws = amount === 0n ? NO_DRAWS : ([[stepOf(limit.window, nowMs), amount]] as const);
    return [readingOf(limit.id, group.digest, { ...drawnAt(limit.window, draws, nowMs), restored: false })];
  });
}
