/** Guards every append and every kept response once the log is not the signed one. */
import { StoreUnavailable } from './port/failure.ts';

export const FORKED =
  'the log is not the one that was signed; stop all replicas, inspect the data, then run `audit restore`';

/** Raised if a log turns out not to be the signed one; from then on no thread of the process appends. */
export class ForkAlarm {
  /** Memory that can be passed to other threads. */
  readonly shared: SharedArrayBuffer;
  readonly #raised: Int32Array;

  constructor(shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#raised = new Int32Array(shared);
  }

  get isRaised(): boolean {
    return Atomics.load(this.#raised, 0) !== 0;
  }

  /** Cannot be undone: only a person who has inspected the data can tell which log is right. */
  raise(): void {
    Atomics.store(this.#raised, 0, 1);
  }
}

export class AppendGuard {
  #alarm: ForkAlarm | null = null;

  heed(alarm: ForkAlarm): void {
    this.#alarm = alarm;
  }

  async run<T>(call: () => Promise<T>): Promise<T> {
    this.#check();
    const result = await call();
    // The alarm may have been raised meanwhile: then what was appended or read proves nothing.
    this.#check();
    return result;
  }

  #check(): void {
    if (this.#alarm?.isRaised) throw new StoreUnavailable('lost', FORKED);
  }
}
