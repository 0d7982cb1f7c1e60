/** Runs jobs one at a time, in turns among their owners: one owner's many jobs do not delay another's only one. */
export class FairQueue {
  /** Workspaces with waiting work, in the order of their turns. */
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  #isRunning = false;

  run<T>(owner: string, job: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const own = this.#waiting.get(owner) ?? [];
      // A job that throws before its first await must not stop the queue.
      own.push(() => (async () => job())().then(resolve, reject));
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
      // An owner with more jobs waits behind every owner that arrived meanwhile.
      this.#waiting.delete(owner);
      if (jobs.length > 0) this.#waiting.set(owner, jobs);
    }
    this.#isRunning = false;
  }
}
