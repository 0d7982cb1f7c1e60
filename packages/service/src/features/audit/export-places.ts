/** Limits the exports in progress, in memory that the threads of one service share. */
import { hash } from 'node:crypto';
import { type Refusal, refuseFor } from '../../exchange/refusal.ts';

/** Each export holds megabytes of the log for as long as its client reads. */
const WORKSPACE_MAX = 2;
const PROCESS_MAX = 4;
const RETRY_AFTER_MS = 5_000;
const FREE = 0n;

/** For each thread, the workspaces whose exports it sends. */
export function placesMemory(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * PROCESS_MAX * BigUint64Array.BYTES_PER_ELEMENT);
}

export class ExportPlaces {
  readonly #all: BigUint64Array;
  readonly #own: BigUint64Array;

  /** `thread` starts at 0. One that takes the place of another also takes its places, whose exports died with it. */
  constructor(memory = placesMemory(1), thread = 0) {
    this.#all = new BigUint64Array(memory);
    this.#own = this.#all.subarray(thread * PROCESS_MAX, (thread + 1) * PROCESS_MAX);
    this.#own.fill(FREE);
  }

  /**
   * Returns a function that gives the place back. INVARIANT: a thread takes a place before it counts, so of threads that
   * ask at the same moment, none gets a place beyond the limit; both may be refused.
   */
  take(workspace: string): Refusal | (() => void) {
    const tag = hash('sha256', workspace, 'buffer').readBigUInt64LE(0) | 1n;
    const place = this.#own.indexOf(FREE);
    if (place === -1) return TOO_MANY;
    Atomics.store(this.#own, place, tag);
    const giveBack = () => void Atomics.store(this.#own, place, FREE);
    const taken = Array.from(this.#all, (_, at) => Atomics.load(this.#all, at)).filter(
      (each) => each !== FREE,
    );
    const refusal =
      taken.filter((each) => each === tag).length > WORKSPACE_MAX
        ? TOO_MANY_OF_WORKSPACE
        : taken.length > PROCESS_MAX
          ? TOO_MANY
          : null;
    if (refusal !== null) giveBack();
    return refusal ?? giveBack;
  }
}

const TOO_MANY_OF_WORKSPACE = refuseFor(
  RETRY_AFTER_MS,
  'overloaded',
  `this workspace already has ${WORKSPACE_MAX} exports in progress, which is the limit; try again once one has ended`,
);
const TOO_MANY = refuseFor(
  RETRY_AFTER_MS,
  'overloaded',
  `this service already sends ${PROCESS_MAX} exports, which is the limit of one process; try again once one has ended`,
);
