/** How reported outcomes reach the writer thread with a commit, and what became of each comes back. */
import { outcomeTexts } from '../commit/new-entries.ts';
import type { LaidRecord } from '../log/segment-layout.ts';
import type { NewOutcome, OutcomeRecorded } from '../port/outcomes.ts';
import { type JudgedOutcomes, recordedAs } from '../tables/outcomes.ts';

/** An outcome's entry as it is laid out in the segment. */
export interface LaidOutcome {
  readonly record: LaidRecord;
  readonly leaf: string;
}

const NO_INTENT = new Uint8Array(0);

export function laidOutcomes(log: string, outcomes: readonly NewOutcome[]): readonly LaidOutcome[] {
  return outcomes.map((outcome) => {
    const { leaf, record } = outcomeTexts(log, outcome);
    return { leaf, record: { before: record, intent: NO_INTENT, after: '' } };
  });
}

export interface PackedRecorded {
  readonly count: number;
  /** By the number of the outcome: of those that did not change what was known. The others stand as they were sent. */
  readonly others: ReadonlyMap<number, OutcomeRecorded> | null;
}

export function packRecorded(
  outcomes: readonly NewOutcome[],
  { recorded, changed }: JudgedOutcomes,
): PackedRecorded | null {
  if (outcomes.length === 0) return null;
  let others: Map<number, OutcomeRecorded> | null = null;
  for (const [i, outcome] of outcomes.entries()) {
    if (changed.has(outcome)) continue;
    others ??= new Map();
    others.set(i, recorded[i]!);
  }
  return { count: recorded.length, others };
}

/** INVARIANT: one for each that was sent; otherwise nobody can tell which outcome is durable. */
export function unpackRecorded(
  packed: PackedRecorded | null,
  outcomes: readonly NewOutcome[],
): readonly OutcomeRecorded[] {
  if ((packed?.count ?? 0) !== outcomes.length)
    throw new RangeError('the outcomes that a commit recorded are not those that were sent');
  return outcomes.map((outcome, i) => packed?.others?.get(i) ?? recordedAs(outcome));
}
