/**
 * Tracks what a candidate would have used up while the log is replayed. A profile that observes uses nothing up, so
 * each record shows a one-time attestation as unused, however often agents presented it.
 */
import { type Circumstances, decide, type Outcome, outcomeOf, type PolicySnapshot } from '@writecheck/engine';
import { markUsedUp, usedName, wholeApprovals } from '../../check/used-evidence.ts';
import type { ReadableRecord } from './replay-record.ts';

/** The oldest are dropped first: an attestation is presented again soon or not at all. */
const REMEMBERED_MAX = 200_000;

export class UsedInReplay {
  readonly #snapshot: PolicySnapshot;
  readonly #used = new Set<string>();

  constructor(snapshot: PolicySnapshot) {
    this.#snapshot = snapshot;
  }

  /** The candidate's decision after the records so far; `after` is what it decides about this one alone. */
  outcome({ intent, facts, atMs }: ReadableRecord, after: Outcome, circumstances: Circumstances): Outcome {
    if (!facts.some(({ kind }) => kind === 'verified')) return after;
    const now = markUsedUp(intent, facts, this.#used);
    const outcome = now === facts ? after : outcomeOf(intent, now, this.#snapshot, atMs, circumstances);
    if (outcome.decision !== 'allow') return outcome;
    for (const item of wholeApprovals(decide(intent, now, this.#snapshot, atMs, circumstances).consumes))
      this.#used.add(usedName(item));
    for (const oldest of this.#used) {
      if (this.#used.size <= REMEMBERED_MAX) break;
      this.#used.delete(oldest);
    }
    return outcome;
  }
}
