/** Tells a burst of a workspace's requests, which is admitted, from lasting overload, which is refused. */

export interface PressureLimits {
  /** A workspace whose oldest waiting request is older than this is under pressure. */
  readonly lateMs: number;
  /**
   * Pressure up to this long, or of up to this many requests, is a burst and is admitted. Beyond both it is overload.
   */
  readonly burstMs: number;
  readonly burstRequests: number;
  /** Pressure counts as a new burst after this long without pressure, or once every request is served. */
  readonly calmMs: number;
}

/** A workspace's requests in progress, when one more arrives. */
interface Crowd {
  readonly workspace: string;
  /** Requests that hold a place, and those that wait. */
  readonly places: number;
  readonly waiting: number;
  /** How long the oldest of them has waited. */
  readonly waitedMs: number;
  /** How many workspaces have a request in progress. */
  readonly workspaces: number;
}

interface Pressure {
  readonly sinceMs: number;
  lastMs: number;
  /** When the workspace last had no request in progress. */
  idleSinceMs: number;
  /** Requests that arrived during it; a large one counts by its size. */
  requests: number;
}

/** About the longest usual check; anything longer is as much work as several. */
const CHECK_BYTES = 4 * 1024;
/** This many requests in progress are never too many: they keep the deciding thread busy. */
const NEVER_REFUSED_IN_ALL = 128;
const NEVER_REFUSED_OF_ONE = 64;
/** Under overload, a workspace that gets its responses immediately sends its next requests sooner than this. */
const IDLE_MS = 20;
const PRESSURES_KEPT = 1_000;

export class Pressures {
  readonly #limits: PressureLimits;
  /** Outlives a workspace's requests: an overloaded one may briefly have none in progress. */
  readonly #pressures = new Map<string, Pressure>();

  constructor(limits: PressureLimits) {
    this.#limits = limits;
  }

  /** The workspace has no request in progress any more. One commit may answer all of them, so this proves little. */
  pause(workspace: string, nowMs: number): void {
    const pressure = this.#pressures.get(workspace);
    if (pressure !== undefined) pressure.idleSinceMs = nowMs;
  }

  /** A workspace that had no request in progress sends one. After a real pause, the next pressure is a new burst. */
  resume(workspace: string, nowMs: number): void {
    const pressure = this.#pressures.get(workspace);
    if (pressure !== undefined && nowMs - pressure.idleSinceMs > IDLE_MS) this.#pressures.delete(workspace);
  }

  /**
   * A crowd that waits long is pressure, and lasting pressure is overload. Then a crowd is refused even if it would
   * not wait, until no request has been refused for a while. Otherwise every retry would be admitted as soon as the
   * queue is short, and would fill it again.
   */
  noteArrival(crowd: Crowd, bodyBytes: number, nowMs: number): boolean {
    const { workspace, places, waiting, workspaces } = crowd;
    const fair = Math.min(NEVER_REFUSED_OF_ONE, NEVER_REFUSED_IN_ALL / workspaces);
    const isCrowded = waiting >= fair / 4 && places + waiting >= fair;
    if (!isCrowded) return false;
    const { lateMs, calmMs, burstMs, burstRequests } = this.#limits;
    const known = this.#pressures.get(workspace);
    const pressure =
      known !== undefined && nowMs - known.lastMs <= calmMs
        ? known
        : { sinceMs: nowMs, lastMs: nowMs, idleSinceMs: nowMs, requests: 0 };
    const isOverloaded =
      pressure.lastMs - pressure.sinceMs > burstMs && pressure.requests > burstRequests / workspaces;
    if (!isOverloaded && crowd.waitedMs <= lateMs) return false;
    pressure.lastMs = nowMs;
    pressure.requests += 1 + Math.floor(bodyBytes / CHECK_BYTES);
    if (pressure !== known) this.#keep(workspace, pressure, nowMs);
    return isOverloaded;
  }

  #keep(workspace: string, pressure: Pressure, nowMs: number): void {
    if (this.#pressures.size >= PRESSURES_KEPT) {
      for (const [other, { lastMs }] of this.#pressures) {
        if (nowMs - lastMs > this.#limits.calmMs) this.#pressures.delete(other);
      }
    }
    this.#pressures.set(workspace, pressure);
  }
}
