/** Runs checks as the queue decides: immediately, in their turn, or not at all. */
import type { Answer } from '../exchange/answer.ts';
import { type ProblemAnswer, problemAnswer } from '../exchange/problem-answer.ts';
import { clockRefusal, type Refusal, refuseFor } from '../exchange/refusal.ts';
import type { RequestContext } from '../exchange/request-context.ts';
import type { SteadyClock } from '../support/clocks/steady-clock.ts';
import { CheckQueue, type Lane, QUEUE_LIMITS, type QueueLimits } from './check-queue.ts';
import type { GroupCommit } from './group-commit.ts';

/**
 * Called with a turn, or with null if the request is refused. The workspace pays for the time until the first
 * `await`.
 */
export type Start = (turn: Turn | null) => void;

/** A place that a request holds until `end`. */
export class Turn {
  readonly waitedMs: number;
  readonly #turns: Turns;
  readonly #lane: Lane<Start>;
  #places = 1;

  constructor(turns: Turns, lane: Lane<Start>, waitedMs: number) {
    this.#turns = turns;
    this.#lane = lane;
    this.waitedMs = waitedMs;
  }

  /** Called when parsing shows that the request is a batch of this many checks. */
  isFor(checks: number): void {
    this.#turns.grow(this.#lane, checks - this.#places);
    this.#places = checks;
  }

  end(): void {
    this.#turns.leave(this.#lane, this.#places);
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

  take(workspace: string, bodyBytes: number, start: Start): void {
    const nowMs = performance.now();
    const arrival = this.#queue.arrive(workspace, bodyBytes, nowMs, start);
    if (arrival === 'refused') start(null);
    else if (arrival === 'waits') this.#schedule();
    else this.#run(arrival, start, 0, nowMs);
  }

  grow(lane: Lane<Start>, places: number): void {
    this.#queue.grow(lane, places);
  }

  leave(lane: Lane<Start>, places: number): void {
    this.#underWay -= 1;
    this.#queue.leave(lane, places, performance.now());
    if (this.#queue.waiting > 0) this.#schedule();
  }

  /** Returns the time at which the run ended. */
  #run(lane: Lane<Start>, start: Start, waitedMs: number, startedMs: number): number {
    const isCharged = this.#queue.isBusy;
    this.#underWay += 1;
    start(new Turn(this, lane, waitedMs));
    if (!isCharged) return startedMs;
    const endedMs = performance.now();
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
      if (isTooLate) job(null);
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

type Run<A> = (context: RequestContext, turn: Turn) => Promise<A>;

export function inTurn<A extends Answer>(
  parts: TurnParts,
  call: TurnCall,
  run: Run<A>,
): Promise<A | ProblemAnswer> {
  const arrived = contextAfter(parts, call, 0);
  if ('status' in arrived) return Promise.resolve(arrived);
  return new Promise((resolve) => {
    parts.turns.take(call.actor.workspace, call.body.length, (turn) =>
      resolve(turn === null ? problemAnswer(arrived, OVERLOADED) : withTurn(parts, call, arrived, turn, run)),
    );
  });
}

/** Starts without an `await`, so that the workspace pays for the deciding. */
async function withTurn<A extends Answer>(
  parts: TurnParts,
  call: TurnCall,
  arrived: RequestContext,
  turn: Turn,
  run: Run<A>,
): Promise<A | ProblemAnswer> {
  parts.commits.enter();
  try {
    // INVARIANT: a check that waited is decided as of now, not as of its arrival.
    const context = turn.waitedMs === 0 ? arrived : contextAfter(parts, call, turn.waitedMs);
    return 'status' in context ? context : await run(context, turn);
  } finally {
    parts.commits.leave();
    turn.end();
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
