/** Runs jobs one at a time, by turns among those they are for: nobody's many jobs hold up another's one. */
export class FairQueue {
  /** In the order of their turns. */
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  #isRunning = false;

  run<T>(owner: string, job: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const own = this.#waiting.get(owner) ?? [];
      own.push(() => job().then(resolve, reject));
      this.#waiting.set(owner, own);
      if (!this.#isRunning) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    for (;;) {
      const [turn] = this.#waiting;
      if (turn === undefined) break;
      const [owner, jobs] = turn;
      await jobs.shift()!();
      // Whoever has more waits behind everybody who came meanwhile.
      this.#waiting.delete(owner);
      if (jobs.length > 0) this.#waiting.set(owner, jobs);
    }
    this.#isRunning = false;
  }
}
