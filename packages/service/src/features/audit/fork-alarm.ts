/** Raised if a log turns out not to be the signed one; from then on no thread of the process appends. */
import { type Store, StoreUnavailable } from '@writecheck/store/port';

export class ForkAlarm {
  /** In a form that crosses to other threads. */
  readonly shared: SharedArrayBuffer;
  readonly #raised: Int32Array;

  constructor(shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#raised = new Int32Array(shared);
  }

  get isRaised(): boolean {
    return Atomics.load(this.#raised, 0) !== 0;
  }

  /** For good: only a person who has inspected the data can tell which log is right. */
  raise(): void {
    Atomics.store(this.#raised, 0, 1);
  }
}

export const FORKED =
  'the log is not the one that was signed; stop all replicas, inspect the data, then run `audit restore`';

/** From now on the store appends nothing once the alarm is raised, over open connections neither. */
export function refuseWhenForked(store: Store, alarm: ForkAlarm): void {
  store.guardAppending(() => {
    if (alarm.isRaised) throw new StoreUnavailable('lost', FORKED);
  });
}
