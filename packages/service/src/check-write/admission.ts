/** Decides which check runs now, which waits and which is refused: by time waited, and by turns among workspaces. */

export interface AdmissionLimits {
  /** Checks that may be decided and not yet answered, all workspaces together. */
  readonly places: number;
  /** How long checks are decided before the sockets are read again, or half as long as that took if it is more. */
  readonly turnMs: number;
  /** A workspace whose oldest waiting request is older than this is under pressure. */
  readonly lateMs: number;
  /** Pressure up to this long, or of up to so many requests, is a burst and is admitted. More than both is overload. */
  readonly burstMs: number;
  readonly burstRequests: number;
  /** Without pressure for this long, or once everything is served, the next one is a new burst. */
  readonly calmMs: number;
  /** A request that has waited longer than this is refused. */
  readonly patienceMs: number;
  /** For waiting requests, each counted as its body and `REQUEST_BYTES`. */
  readonly roomBytes: number;
}

export const ADMISSION_LIMITS: AdmissionLimits = {
  places: 256,
  turnMs: 1,
  lateMs: 20,
  burstMs: 500,
  burstRequests: 1_000,
  calmMs: 1_000,
  patienceMs: 5_000,
  roomBytes: 64 * 1024 * 1024,
};

/** What a waiting request holds besides its body: a socket, a head, closures. Rounded up. */
const REQUEST_BYTES = 8 * 1024;
/** About the longest check that is usual; more is a batch, or as much work as one. */
const CHECK_BYTES = 4 * 1024;
/** With fewer places taken, a turn is short whatever happens. */
const FEW_PLACES = 8;
/** So many requests under way are never too many: as many as keep the deciding thread busy. */
const NEVER_REFUSED_IN_ALL = 128;
const NEVER_REFUSED_OF_ONE = 64;
/** What a workspace may spend before the next one has its turn. */
const QUANTUM_MS = 0.25;
/** About the longest batch. What was spent while nobody else waited is not held against a workspace. */
const DEBT_MS_MAX = 10;
const TURN_MS_MAX = 10;
/** Under overload those who try again come faster than this. */
const IDLE_MS = 10;
const PRESSURES_KEPT = 1_000;

interface Waiting<Job> {
  readonly job: Job;
  readonly arrivedMs: number;
  readonly bytes: number;
}

interface Pressure {
  readonly sinceMs: number;
  lastMs: number;
  /** What came under it, a batch counted by its size. */
  requests: number;
}

/** What one workspace has under way. */
export class Lane<Job> {
  readonly workspace: string;
  places = 0;
  waiting: Waiting<Job>[] = [];
  waitingBytes = 0;
  /** Below zero after a long run, such as a batch: then others have their turns first. */
  creditMs = 0;

  constructor(workspace: string) {
    this.workspace = workspace;
  }
}

export type Arrival<Job> = Lane<Job> | 'waits' | 'refused';

export interface Next<Job> {
  readonly lane: Lane<Job>;
  readonly job: Job;
  readonly waitedMs: number;
  /** It takes no place. */
  readonly isTooLate: boolean;
}

/** No clock in here: every time is an argument, in milliseconds of a monotonic clock. */
export class Admission<Job> {
  readonly #limits: AdmissionLimits;
  /** Those with anything under way. */
  readonly #lanes = new Map<string, Lane<Job>>();
  /** Those with anything waiting, in the order of their turns. */
  readonly #turns = new Set<Lane<Job>>();
  /** Outlives the lane: an overloaded workspace may have nothing under way for a moment. */
  readonly #pressures = new Map<string, Pressure>();
  #places = 0;
  #waiting = 0;
  #waitingBytes = 0;
  #turnLeftMs: number;
  /** On deciding, since the last turn ended. */
  #spentMs = 0;

  constructor(limits: AdmissionLimits = ADMISSION_LIMITS) {
    this.#limits = limits;
    this.#turnLeftMs = limits.turnMs;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Whether runs count against the turn, so that `beginTurn` must follow. */
  get isBusy(): boolean {
    return this.#places >= FEW_PLACES;
  }

  /** Otherwise whatever waits, waits for a place. */
  get isTurnOver(): boolean {
    return this.#turnLeftMs <= 0;
  }

  /** The lane where the request may run at once and has taken a place. */
  arrive(workspace: string, bodyBytes: number, nowMs: number, job: Job): Arrival<Job> {
    const lane = this.#lanes.get(workspace) ?? this.#newLane(workspace, nowMs);
    const hasTime = this.#places < FEW_PLACES || this.#turnLeftMs > 0;
    if (lane.waiting.length === 0 && hasTime && this.#mayTakePlace(lane)) {
      this.#takePlace(lane);
      return lane;
    }
    const bytes = bodyBytes + REQUEST_BYTES;
    // INVARIANT: nobody holds more of the room than is left of it, so there is always some for a newcomer.
    const hasRoom = lane.waitingBytes + bytes <= this.#limits.roomBytes - this.#waitingBytes;
    if (!hasRoom || this.#isOverloaded(lane, bodyBytes, nowMs)) return 'refused';
    this.#lanes.set(workspace, lane);
    this.#turns.add(lane);
    lane.waiting.push({ job, arrivedMs: nowMs, bytes });
    lane.waitingBytes += bytes;
    this.#waitingBytes += bytes;
    this.#waiting += 1;
    return 'waits';
  }

  /**
   * `sinceMs` is the time since the last turn ended. Deciding gets at least half of what reading, refusing and
   * responding took since then, or else a flood of refusals would leave nothing for the requests that were admitted.
   */
  beginTurn(sinceMs: number): void {
    const elsewhereMs = sinceMs - this.#spentMs;
    this.#turnLeftMs = Math.max(this.#limits.turnMs, Math.min(elsewhereMs / 2, TURN_MS_MAX));
    this.#spentMs = 0;
  }

  /** The turn is over, or nothing may run in it: from here on the sockets are read. */
  endTurn(): void {
    this.#spentMs = 0;
  }

  /** The next request that has its turn; null where none may run before another turn or another `leave`. */
  next(nowMs: number): Next<Job> | null {
    if (this.isTurnOver) return null;
    let blocked = 0;
    while (blocked < this.#turns.size) {
      const [lane] = this.#turns as Iterable<Lane<Job>> as readonly [Lane<Job>];
      const isAlone = this.#turns.size === 1;
      if (this.#mayTakePlace(lane) && (isAlone || lane.creditMs > 0)) return this.#takeFirst(lane, nowMs);
      if (this.#mayTakePlace(lane)) {
        lane.creditMs += QUANTUM_MS;
        blocked = 0;
      } else {
        blocked += 1;
      }
      this.#turns.delete(lane);
      this.#turns.add(lane);
    }
    return null;
  }

  /** What deciding took of the thread. */
  spend(lane: Lane<Job>, ms: number): void {
    this.#turnLeftMs -= ms;
    this.#spentMs += ms;
    lane.creditMs = Math.max(lane.creditMs - ms, -DEBT_MS_MAX);
  }

  /** A batch takes a place for each of its checks, which are counted once it has been read. */
  grow(lane: Lane<Job>, places: number): void {
    lane.places += places;
    this.#places += places;
  }

  leave(lane: Lane<Job>, places: number): void {
    this.grow(lane, -places);
    this.#forgetIfIdle(lane);
  }

  #newLane(workspace: string, nowMs: number): Lane<Job> {
    // Everything was served and nobody was refused just now: what comes is a new burst.
    const pressure = this.#pressures.size === 0 ? undefined : this.#pressures.get(workspace);
    if (pressure !== undefined && nowMs - pressure.lastMs > IDLE_MS) this.#pressures.delete(workspace);
    return new Lane(workspace);
  }

  /** A workspace holds at most as many places as are free: one alone half of them, two a third each, and so on. */
  #mayTakePlace(lane: Lane<Job>): boolean {
    return lane.places < this.#limits.places - this.#places;
  }

  #takePlace(lane: Lane<Job>): void {
    this.#lanes.set(lane.workspace, lane);
    this.grow(lane, 1);
  }

  #takeFirst(lane: Lane<Job>, nowMs: number): Next<Job> {
    const { job, arrivedMs, bytes } = lane.waiting.shift()!;
    lane.waitingBytes -= bytes;
    this.#waitingBytes -= bytes;
    this.#waiting -= 1;
    if (lane.waiting.length === 0) this.#turns.delete(lane);
    const waitedMs = nowMs - arrivedMs;
    const isTooLate = waitedMs > this.#limits.patienceMs;
    if (isTooLate) this.#forgetIfIdle(lane);
    else this.#takePlace(lane);
    return { lane, job, waitedMs, isTooLate };
  }

  /**
   * A crowd that has to wait for long is pressure, and pressure that lasts is overload. Until nobody has been refused
   * for a while, a crowd is then refused whether it has to wait or not: or else all who try again would be let in
   * together as soon as the queue is short, and would make it long again.
   */
  #isOverloaded(lane: Lane<Job>, bodyBytes: number, nowMs: number): boolean {
    const lanes = this.#lanes.size;
    const fair = Math.min(NEVER_REFUSED_OF_ONE, NEVER_REFUSED_IN_ALL / lanes);
    const { length } = lane.waiting;
    const isCrowded = length >= fair / 4 && lane.places + length >= fair;
    if (!isCrowded) return false;
    const { lateMs, calmMs, burstMs, burstRequests } = this.#limits;
    const known = this.#pressures.get(lane.workspace);
    const pressure =
      known !== undefined && nowMs - known.lastMs <= calmMs
        ? known
        : { sinceMs: nowMs, lastMs: nowMs, requests: 0 };
    const isOverloaded =
      pressure.lastMs - pressure.sinceMs > burstMs && pressure.requests > burstRequests / lanes;
    if (!isOverloaded && nowMs - lane.waiting[0]!.arrivedMs <= lateMs) return false;
    pressure.lastMs = nowMs;
    pressure.requests += 1 + Math.floor(bodyBytes / CHECK_BYTES);
    if (pressure !== known) this.#keep(lane.workspace, pressure, nowMs);
    return isOverloaded;
  }

  #forgetIfIdle(lane: Lane<Job>): void {
    if (lane.places === 0 && lane.waiting.length === 0) this.#lanes.delete(lane.workspace);
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
