/** Closes connections that lie idle for too long. */

export interface Sweepable {
  /** Closes it if its time to lie idle is over, by `performance.now()`. */
  closeIfIdle(nowMs: number): void;
  /** Closes it if no response is being made or sent on it. */
  closeIfUnused(): void;
  destroy(): void;
}

const SWEEP_EVERY_MS = 1_000;

/** One timer for all, because the timeout of a socket starts again with every byte that comes or goes. */
export class IdleSweep<Connection extends Sweepable> {
  readonly #connections = new Set<Connection>();
  readonly #timer: NodeJS.Timeout;

  constructor() {
    this.#timer = setInterval(() => this.#sweep(), SWEEP_EVERY_MS);
    this.#timer.unref();
  }

  add(connection: Connection): void {
    this.#connections.add(connection);
  }

  delete(connection: Connection): void {
    this.#connections.delete(connection);
  }

  closeUnused(): void {
    for (const connection of this.#connections) connection.closeIfUnused();
  }

  closeAll(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  /** Once there are no connections any more. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const nowMs = performance.now();
    for (const connection of this.#connections) connection.closeIfIdle(nowMs);
  }
}
