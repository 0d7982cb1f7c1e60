/** Sorts decisions by object and time, each with whether it was redeemed: a redemption names only the decision's id. */
import type { DecisionFact } from './decision-fact.ts';
import { ExternalSort } from './external-sort.ts';
import { decisionRecord, type Hasher, KEY_BYTES, markRedeemed, type Target } from './sort-record.ts';

/** Within one id a redemption sorts before its decision. */
const REDEMPTION = 0;
const ALLOW = 1;
const MARK_AT = KEY_BYTES;

export class DecisionIndex {
  readonly #byTarget: ExternalSort;
  readonly #allowsById: ExternalSort;
  readonly #hasher: Hasher;

  constructor(hasher: Hasher, bufferBytes?: number) {
    this.#hasher = hasher;
    this.#byTarget = new ExternalSort(bufferBytes);
    this.#allowsById = new ExternalSort(bufferBytes);
  }

  addDecision(target: Target, value: string, fact: Omit<DecisionFact, 'value' | 'isRedeemed'>): void {
    const record = decisionRecord(target, value, { ...fact, isRedeemed: false }, this.#hasher);
    if (fact.decision === 'allow') this.#allowsById.add(this.#underId(fact.id, ALLOW, record));
    else this.#byTarget.add(record);
  }

  addRedemption(decisionId: string): void {
    this.#allowsById.add(this.#underId(decisionId, REDEMPTION, NOTHING));
  }

  /** All decisions in order, once; see `ExternalSort.sorted`. */
  sorted(): Generator<Buffer> {
    let redeemed: Buffer = Buffer.alloc(0);
    for (const entry of this.#allowsById.sorted()) {
      if (entry[MARK_AT] === REDEMPTION) {
        redeemed = Buffer.from(entry.subarray(0, KEY_BYTES));
        continue;
      }
      const record = entry.subarray(MARK_AT + 1);
      if (redeemed.equals(entry.subarray(0, KEY_BYTES))) markRedeemed(record);
      this.#byTarget.add(record);
    }
    return this.#byTarget.sorted();
  }

  #underId(id: string, mark: number, record: Buffer): Buffer {
    return Buffer.concat([this.#hasher.of(id), Buffer.of(mark), record]);
  }
}

const NOTHING = Buffer.alloc(0);
