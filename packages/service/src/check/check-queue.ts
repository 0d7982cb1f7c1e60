/** Decides which checks run now, wait or are refused: by time waited, and in turns among workspaces. */
import { type PressureLimits, Pressures } from './pressure.ts';

export interface QueueLimits extends PressureLimits {
  /** How many checks may be decided but not yet answered, over all workspaces. */
  readonly places: number;
  /** How long to decide checks before reading the sockets again, or half as long as reading took if that is more. */
  readonly turnMs: number;
  /** A request that has waited longer than this is refused. */
  readonly patienceMs: number;
  /** Limits the waiting requests together; each counts as its body plus `REQUEST_BYTES`. */
  readonly roomBytes: number;
}

export const QUEUE_LIMITS: QueueLimits = {
  places: 256,
  turnMs: 1,
  lateMs: 20,
  burstMs: 500,
  burstRequests: 1_000,
  calmMs: 1_000,
  patienceMs: 5_000,
  roomBytes: 64 * 1024 * 1024,
};

/** What a waiting request holds besides its body: a socket, a head and closures, rounded up. */
const REQUEST_BYTES = 8 * 1024;
/** While fewer places than this are taken, only runs that are longer than a turn are charged. */
const FEW_PLACES = 8;
/** How much time a workspace may spend before the next one has its turn. */
const QUANTUM_MS = 0.25;
/** A longer run counts in full. Time spent while no other workspace waited does not count as debt. */
const DEBT_MS_MAX = 10;
const TURN_MS_MAX = 10;

interface Waiting<Job> {
  readonly job: Job;
  readonly arrivedMs: number;
  readonly bytes: number;
}

/** The requests of one workspace that are in progress. */
export class Lane<Job> {
  readonly workspace: string;
  places = 0;
  waiting: Waiting<Job>[] = [];
  waitingBytes = 0;
  /** Negative after a long run: then other workspaces go first. */
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
  /** A request that is too late takes no place. */
  readonly isTooLate: boolean;
}

/** No clock in here: every time is an argument, in milliseconds of a monotonic clock. */
export class CheckQueue<Job> {
  readonly #limits: QueueLimits;
  /** Lanes with any request in progress. */
  readonly #lanes = new Map<string, Lane<Job>>();
  /** Lanes with a waiting request, in the order of their turns. */
  readonly #turns = new Set<Lane<Job>>();
  /** Null until a request has to wait. */
  #pressures: Pressures | null = null;
  #places = 0;
  #waiting = 0;
  #waitingBytes = 0;
  #turnLeftMs: number;
  /** Time spent deciding since the last turn ended. */
  #spentMs = 0;

  constructor(limits: QueueLimits = QUEUE_LIMITS) {
    this.#limits = limits;
    this.#turnLeftMs = limits.turnMs;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Whether a run counts against the turn, so that `beginTurn` must follow. */
  isCharged(ms: number): boolean {
    return this.#places >= FEW_PLACES || ms >= this.#limits.turnMs;
  }

  /** If false, waiting requests wait for a place. */
  get isTurnOver(): boolean {
    return this.#turnLeftMs <= 0;
  }

  /**
   * Returns the lane if the request may run immediately; it has then taken a place. One that is back from an `await`
   * was admitted before, so it is not refused.
   */
  arrive(workspace: string, bodyBytes: number, nowMs: number, job: Job, isBack = false): Arrival<Job> {
    const lane = this.#lanes.get(workspace) ?? this.#newLane(workspace, nowMs);
    if (lane.waiting.length === 0 && !this.isTurnOver && this.#mayTakePlace(lane)) {
      this.#takePlace(lane);
      return lane;
    }
    const bytes = bodyBytes + REQUEST_BYTES;
    // INVARIANT: no workspace holds more of the room than is left, so there is always some for a newcomer.
    const hasRoom = lane.waitingBytes + bytes <= this.#limits.roomBytes - this.#waitingBytes;
    if (!isBack && (!hasRoom || this.#isOverloaded(lane, bodyBytes, nowMs))) return 'refused';
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
   * responding took since then; otherwise a flood of refusals would leave no time for admitted requests.
   */
  beginTurn(sinceMs: number): void {
    const elsewhereMs = sinceMs - this.#spentMs;
    this.#turnLeftMs = Math.max(this.#limits.turnMs, Math.min(elsewhereMs / 2, TURN_MS_MAX));
    this.#spentMs = 0;
  }

  /** Ends a turn that is over, or in which nothing may run; the sockets are read next. */
  endTurn(): void {
    this.#spentMs = 0;
  }

  /** The next request whose turn it is; null if none may run before another turn or another `leave`. */
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

  /** How much of the thread's time deciding took. */
  spend(lane: Lane<Job>, ms: number): void {
    this.#turnLeftMs -= ms;
    this.#spentMs += ms;
    lane.creditMs = Math.max(lane.creditMs - ms, -Math.max(DEBT_MS_MAX, ms));
  }

  leave(lane: Lane<Job>, nowMs: number): void {
    lane.places -= 1;
    this.#places -= 1;
    this.#forgetIfIdle(lane, nowMs);
  }

  #newLane(workspace: string, nowMs: number): Lane<Job> {
    this.#pressures?.resume(workspace, nowMs);
    return new Lane(workspace);
  }

  /**
   * A workspace holds at most as many places as are free: one workspace half of them, two a third each, and so on.
   */
  #mayTakePlace(lane: Lane<Job>): boolean {
    return lane.places < this.#limits.places - this.#places;
  }

  #takePlace(lane: Lane<Job>): void {
    this.#lanes.set(lane.workspace, lane);
    lane.places += 1;
    this.#places += 1;
  }

  #takeFirst(lane: Lane<Job>, nowMs: number): Next<Job> {
    const { job, arrivedMs, bytes } = lane.waiting.shift()!;
    lane.waitingBytes -= bytes;
    this.#waitingBytes -= bytes;
    this.#waiting -= 1;
    if (lane.waiting.length === 0) this.#turns.delete(lane);
    const waitedMs = nowMs - arrivedMs;
    const isTooLate = waitedMs > this.#limits.patienceMs;
    if (isTooLate) this.#forgetIfIdle(lane, nowMs);
    else this.#takePlace(lane);
    return { lane, job, waitedMs, isTooLate };
  }

  #isOverloaded({ workspace, places, waiting }: Lane<Job>, bodyBytes: number, nowMs: number): boolean {
    const waitedMs = waiting.length === 0 ? 0 : nowMs - waiting[0]!.arrivedMs;
    const crowd = { workspace, places, waiting: waiting.length, waitedMs, workspaces: this.#lanes.size };
    this.#pressures ??= new Pressures(this.#limits);
    return this.#pressures.noteArrival(crowd, bodyBytes, nowMs);
  }

  #forgetIfIdle(lane: Lane<Job>, nowMs: number): void {
    if (lane.places > 0 || lane.waiting.length > 0) return;
    this.#lanes.delete(lane.workspace);
    this.#pressures?.pause(lane.workspace, nowMs);
  }
}
