/** Lets the deciding threads of one service tell each other that something they may have cached has changed. */
export class Siblings {
  /** Memory that can be passed to other threads. */
  readonly shared: SharedArrayBuffer;
  readonly #changes: Int32Array;
  #heard: number;

  constructor(shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#changes = new Int32Array(shared);
    this.#heard = Atomics.load(this.#changes, 0);
  }

  /** INVARIANT: called after a change is durable and before its response, so that no thread acts on the old state. */
  tell(): void {
    Atomics.add(this.#changes, 0, 1);
  }

  /** Whether something was changed since the last call. */
  hasNews(): boolean {
    const changes = Atomics.load(this.#changes, 0);
    if (changes === this.#heard) return false;
    this.#heard = changes;
    return true;
  }
}
