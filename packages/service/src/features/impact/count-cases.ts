/**
 * Counts what an observing profile would have stopped. One case is one write on one UTC day: it counts for the key
 * that asked first, and as stopped if any of its decisions is.
 */
import type { Assessment } from '@writecheck/api';
import type { LogReading } from '@writecheck/store/port/log-reading';

export const NOT_REPLAYED_CODE = 'not_replayed';
const DAY_CHARACTERS = 10;
const LOOKED_UP_AT_ONCE = 500;

export interface CaseCounts {
  readonly decisions: number;
  readonly stopped: Omit<Assessment['stopped'], 'share'>;
  readonly byKey: readonly Omit<Assessment['byKey'][number], 'name'>[];
}

/** One decision that the profile applied to. */
interface CaseDecision {
  readonly decisionId: string;
  readonly intentDigest: string;
  readonly keyId: string;
  readonly timestamp: string;
  /** Null if it would not have been stopped. */
  readonly stoppedBy: string | null;
}

interface Case {
  keyId: string;
  askedAt: string;
  code: string | null;
  /** Examples of the decisions that would have been stopped. */
  readonly stopped: string[];
}

export class CountCases {
  readonly #reading: Pick<LogReading, 'redeemedAmong'>;
  readonly #workspace: string;
  /** Digests of writes that a review approved. */
  readonly #approved: ReadonlySet<string>;
  readonly #days = new Map<string, Map<string, Case>>();
  #decisions = 0;
  readonly #stopped = { decisions: 0, redeemed: 0, approved: 0 };
  readonly #byCode = new Map<string, number>();
  readonly #byKey = new Map<string, { decisions: number; stopped: number }>();

  constructor(reading: Pick<LogReading, 'redeemedAmong'>, workspace: string, approved: ReadonlySet<string>) {
    this.#reading = reading;
    this.#workspace = workspace;
    this.#approved = approved;
  }

  add({ decisionId, intentDigest, keyId, timestamp, stoppedBy }: CaseDecision): void {
    const day = timestamp.slice(0, DAY_CHARACTERS);
    const cases = this.#days.get(day) ?? new Map<string, Case>();
    this.#days.set(day, cases);
    const known = cases.get(intentDigest) ?? { keyId, askedAt: timestamp, code: null, stopped: [] };
    cases.set(intentDigest, known);
    if (timestamp < known.askedAt) {
      known.askedAt = timestamp;
      known.keyId = keyId;
    }
    if (stoppedBy === null) return;
    known.code ??= stoppedBy;
    known.stopped.push(decisionId);
  }

  /** Adds up the days before this moment and forgets their cases: memory holds a day's cases, not all. */
  async closeBefore(atMs: number): Promise<void> {
    const today = new Date(atMs).toISOString().slice(0, DAY_CHARACTERS);
    for (const [day, cases] of this.#days) {
      if (day >= today) continue;
      this.#days.delete(day);
      await this.#close(cases);
    }
  }

  async finish(): Promise<CaseCounts> {
    for (const cases of this.#days.values()) await this.#close(cases);
    this.#days.clear();
    return {
      decisions: this.#decisions,
      stopped: {
        ...this.#stopped,
        byCode: [...this.#byCode]
          .map(([code, decisions]) => ({ code, decisions }))
          .sort((a, b) => b.decisions - a.decisions || (a.code < b.code ? -1 : 1)),
      },
      byKey: [...this.#byKey]
        .map(([keyId, counts]) => ({ keyId, ...counts }))
        .sort((a, b) => b.decisions - a.decisions || (a.keyId < b.keyId ? -1 : 1)),
    };
  }

  async #close(cases: ReadonlyMap<string, Case>): Promise<void> {
    const stoppedIds: string[] = [];
    for (const [digest, { keyId, code, stopped }] of cases) {
      const ofKey = this.#byKey.get(keyId) ?? { decisions: 0, stopped: 0 };
      this.#byKey.set(keyId, ofKey);
      this.#decisions += 1;
      ofKey.decisions += 1;
      if (code === null) continue;
      this.#stopped.decisions += 1;
      ofKey.stopped += 1;
      this.#byCode.set(code, (this.#byCode.get(code) ?? 0) + 1);
      if (this.#approved.has(digest)) this.#stopped.approved += 1;
      stoppedIds.push(...stopped);
    }
    const redeemed = new Set<string>();
    for (let at = 0; at < stoppedIds.length; at += LOOKED_UP_AT_ONCE) {
      const some = stoppedIds.slice(at, at + LOOKED_UP_AT_ONCE);
      for (const id of await this.#reading.redeemedAmong(this.#workspace, some)) redeemed.add(id);
    }
    for (const { stopped } of cases.values())
      if (stopped.some((id) => redeemed.has(id))) this.#stopped.redeemed += 1;
  }
}
