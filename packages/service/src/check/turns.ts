/** Runs checks as the queue decides: immediately, in their turn, or not at all. */
import { type ProblemAnswer, problemAnswer } from '../exchange/problem-answer.ts';
import { clockRefusal, type Refusal, refuseFor } from '../exchange/refusal.ts';
import type { RequestContext } from '../exchange/request-context.ts';
import type { SteadyClock } from '../support/clocks/steady-clock.ts';
import { CheckQueue, type Lane, QUEUE_LIMITS, type QueueLimits } from './check-queue.ts';
import type { GroupCommit } from './group-commit.ts';

/** Called with a lane that holds a place, or with null if the request is refused. The workspace pays for its time. */
type Start = (lane: Lane<Start> | null, waitedMs: number) => void;

/** A place that a request holds until `end`. */
export class Turn {
  readonly #turns: Turns;
  /** Null while it waits for its place again. */
  #lane: Lane<Start> | null;
  #isRunning = true;

  constructor(turns: Turns, lane: Lane<Start>) {
    this.#turns = turns;
    this.#lane = lane;
  }

  /** False once something was awaited: what follows would run whenever that is there, and nobody would pay for it. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Called when the run returns to the queue. */
  pause(): void {
    this.#isRunning = false;
  }

  /** Gives its place back and does the work in its next turn; `refused` if that comes too late. */
  again<T>(work: () => T): Promise<T | 'refused'> {
    const { workspace } = this.#lane!;
    this.end();
    return new Promise((resolve, reject) => {
      this.#turns.takeBack(workspace, (lane) => {
        if (lane === null) return resolve('refused');
        this.#lane = lane;
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  end(): void {
    if (this.#lane !== null) this.#turns.leave(this.#lane);
    this.#lane = null;
  }
}

export class Turns {
  readonly #queue: CheckQueue<Start>;
  #isScheduled = false;
  #underWay = 0;
  #endedMs = 0;

  constructor(limits: QueueLimits = QUEUE_LIMITS) {
    this.#queue = new CheckQueue(limits);
  }

  /** Requests that wait or run. */
  get depth(): number {
    return this.#underWay + this.#queue.waiting;
  }

  /** Called with a turn, or with null if the request is refused. */
  take(workspace: string, bodyBytes: number, start: (turn: Turn | null, waitedMs: number) => void): void {
    this.#arrive(workspace, bodyBytes, false, (lane, waitedMs) => {
      const turn = lane === null ? null : new Turn(this, lane);
      start(turn, waitedMs);
      turn?.pause();
    });
  }

  takeBack(workspace: string, start: Start): void {
    this.#arrive(workspace, 0, true, start);
  }

  #arrive(workspace: string, bodyBytes: number, isBack: boolean, start: Start): void {
    const nowMs = performance.now();
    const arrival = this.#queue.arrive(workspace, bodyBytes, nowMs, start, isBack);
    if (arrival === 'refused') start(null, 0);
    else if (arrival === 'waits') this.#schedule();
    else this.#run(arrival, start, 0, nowMs);
  }

  leave(lane: Lane<Start>): void {
    this.#underWay -= 1;
    this.#queue.leave(lane, performance.now());
    if (this.#queue.waiting > 0) this.#schedule();
  }

  /** Returns the time at which the run ended. */
  #run(lane: Lane<Start>, start: Start, waitedMs: number, startedMs: number): number {
    this.#underWay += 1;
    start(lane, waitedMs);
    const endedMs = performance.now();
    if (!this.#queue.isCharged(endedMs - startedMs)) return endedMs;
    this.#queue.spend(lane, endedMs - startedMs);
    this.#schedule();
    return endedMs;
  }

  /** Runs after the sockets that are ready now have been read, so that every caller gets its turn. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#serve());
  }

  #serve(): void {
    this.#isScheduled = false;
    let nowMs = performance.now();
    this.#queue.beginTurn(nowMs - this.#endedMs);
    for (let next = this.#queue.next(nowMs); next !== null; next = this.#queue.next(nowMs)) {
      const { lane, job, waitedMs, isTooLate } = next;
      if (isTooLate) job(null, waitedMs);
      else nowMs = this.#run(lane, job, waitedMs, nowMs);
    }
    this.#queue.endTurn();
    this.#endedMs = nowMs;
    // INVARIANT: a request that still waits is served with the next turn, or as soon as a place is free.
    if (this.#queue.waiting > 0 && this.#queue.isTurnOver) this.#schedule();
  }
}

export interface TurnParts {
  readonly clock: SteadyClock;
  readonly turns: Turns;
  readonly commits: GroupCommit;
}

/** What the clock and the queue need from a call. */
interface TurnCall {
  readonly body: Uint8Array;
  readonly context: RequestContext;
  readonly actor: { readonly workspace: string };
}

/** Decides in the turn of the request, so that its workspace pays, also if something was awaited before. */
export type Decide = <T>(work: () => T) => T | Promise<T | Refusal>;

type Run<A> = (context: RequestContext, decide: Decide) => Promise<A>;

export function inTurn<A>(parts: TurnParts, call: TurnCall, run: Run<A>): Promise<A | ProblemAnswer> {
  const arrived = contextAfter(parts, call, 0);
  if ('status' in arrived) return Promise.resolve(arrived);
  // INVARIANT: a check that waited is decided as of now, not as of its arrival.
  const contextOf = (waitedMs: number) => (waitedMs === 0 ? arrived : contextAfter(parts, call, waitedMs));
  return new Promise((resolve) => {
    parts.turns.take(call.actor.workspace, call.body.length, (turn, waitedMs) => {
      if (turn === null) resolve(problemAnswer(arrived, OVERLOADED));
      else resolve(withTurn(parts, contextOf(waitedMs), turn, run));
    });
  });
}

/** Starts without an `await`, so that the workspace pays for the deciding. */
async function withTurn<A>(
  parts: TurnParts,
  context: RequestContext | ProblemAnswer,
  turn: Turn,
  run: Run<A>,
): Promise<A | ProblemAnswer> {
  parts.commits.enter();
  try {
    const decide: Decide = (work) => (turn.isRunning ? work() : decideLater(parts, turn, work));
    return 'status' in context ? context : await run(context, decide);
  } finally {
    parts.commits.leave();
    turn.end();
  }
}

/** No commit waits for a check that waits for its turn. */
async function decideLater<T>({ commits }: TurnParts, turn: Turn, work: () => T): Promise<T | Refusal> {
  commits.leave();
  try {
    const decided = await turn.again(work);
    return decided === 'refused' ? OVERLOADED : decided;
  } finally {
    commits.enter();
  }
}

/** The call's context with the time that a decision would carry now, or the refusal if no clock can be trusted. */
function contextAfter(
  { clock }: TurnParts,
  { context }: TurnCall,
  waitedMs: number,
): RequestContext | ProblemAnswer {
  const { requestId, traceId } = context;
  const clockMs = context.nowMs + Math.round(waitedMs);
  const moment = clock.at(clockMs);
  return moment.kind === 'now'
    ? { requestId, traceId, nowMs: moment.nowMs }
    : problemAnswer({ requestId, traceId, nowMs: clockMs }, clockRefusal(moment));
}

const OVERLOADED: Refusal = refuseFor(
  1_000,
  'overloaded',
  'the service is overloaded; try again in a moment',
);
