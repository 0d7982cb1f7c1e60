/** How what became of reported outcomes comes back from the writer thread. */
import type { NewOutcome, OutcomeRecorded } from '../port/outcomes.ts';
import { type JudgedOutcomes, recordedAs } from '../tables/outcomes.ts';

/** Null for those that change what was known: they stand as they were sent. */
export function packRecorded(
  outcomes: readonly NewOutcome[],
  { recorded, changed }: JudgedOutcomes,
): readonly (OutcomeRecorded | null)[] {
  return outcomes.map((outcome, i) => (changed.has(outcome) ? null : recorded[i]!));
}

/** INVARIANT: one for each that was sent; otherwise nobody can tell which outcome is durable. */
export function unpackRecorded(
  packed: readonly (OutcomeRecorded | null)[],
  outcomes: readonly NewOutcome[],
): readonly OutcomeRecorded[] {
  if (packed.length !== outcomes.length)
    throw new RangeError('the outcomes that a commit recorded are not those that were sent');
  return outcomes.map((outcome, i) => packed[i] ?? recordedAs(outcome));
}
