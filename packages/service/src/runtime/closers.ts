/** Everything that was opened and must be closed, in one list. */
import { errorFields } from '../support/observability/described-error.ts';
import type { Log } from '../support/observability/log.ts';

export class Closers {
  readonly #log: Log;
  readonly #closers: (() => unknown)[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /** Call it right after opening a part: the last one opened closes first. */
  add(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Closes every part, even if one of them fails. */
  async close(): Promise<void> {
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        this.#log.warn(errorFields(error), 'a part of the service did not close');
      }
    }
  }
}
