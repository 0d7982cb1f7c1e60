/** Whether a log turned out not to be the signed one: all threads of a process know it at the same moment. */
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
