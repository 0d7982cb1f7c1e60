/** Last uses of keys or sessions that the store does not have yet, by their id there. */
export class LastUses {
  /** INVARIANT: the longest waiting comes first, so that each gets its turn. */
  readonly #uses = new Map<string, number>();
  readonly #write: (uses: readonly (readonly [id: string, atMs: number])[]) => Promise<void>;
  readonly #trustedMs: () => number;

  /** `trustedMs` returns the time that may be written, see `SteadyClock.notBefore`. */
  constructor(
    write: (uses: readonly (readonly [id: string, atMs: number])[]) => Promise<void>,
    trustedMs: () => number,
  ) {
    this.#write = write;
    this.#trustedMs = trustedMs;
  }

  note(id: string, atMs: number): void {
    this.#uses.set(id, atMs);
  }

  /** 0 if there is none that the store does not have. */
  latestMs(id: string): number {
    return this.#uses.get(id) ?? 0;
  }

  /**
   * Writes at most this many. Failed ones are retried with the next flush.
   * INVARIANT: a clock that is ahead never extends a session beyond its idle time on other replicas.
   */
  async flush(most = Number.POSITIVE_INFINITY): Promise<void> {
    const uses = [...this.#uses].slice(0, most);
    if (uses.length === 0) return;
    const trustedMs = this.#trustedMs();
    await this.#write(uses.map(([id, atMs]) => [id, Math.min(atMs, trustedMs)]));
    for (const [id, atMs] of uses) {
      const newestMs = this.#uses.get(id);
      this.#uses.delete(id);
      if (newestMs !== undefined && newestMs !== atMs) this.#uses.set(id, newestMs);
    }
  }
}
