/** Closes connections that are idle for too long, and all of them when the server stops. */

export interface Sweepable {
  /** Closes it if its idle time is over, by `performance.now()`. */
  closeIfIdle(nowMs: number): void;
  /** Closes it if no response is being prepared or sent on it. */
  closeIfUnused(): void;
  destroy(): void;
}

const SWEEP_EVERY_MS = 1_000;

/** One timer for all connections, because a socket's own timeout restarts with every byte in or out. */
export class IdleSweep<Connection extends Sweepable> {
  /** Whether the server stops, so that every response is the last on its connection. */
  isDraining = false;
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

  /** Call it once no connections are left. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const nowMs = performance.now();
    for (const connection of this.#connections) connection.closeIfIdle(nowMs);
  }
}
