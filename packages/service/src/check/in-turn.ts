/** Wraps every check: the clock, its turn in the queue, and a failing store. */

import { StoreUnavailable } from '@writecheck/store/port';
import type { Answer } from '../exchange/answer.ts';
import { problemAnswer } from '../exchange/problem-answer.ts';
import { clockRefusal, type Refusal, refuse, storeUnavailable } from '../exchange/refusal.ts';
import type { RequestContext } from '../exchange/request-context.ts';
import type { SteadyClock } from '../support/clocks/steady-clock.ts';
import type { GroupCommit } from './group-commit.ts';
import type { CheckCall } from './parse-request.ts';
import type { Turn, Turns } from './turns.ts';

export interface TurnParts {
  readonly clock: SteadyClock;
  readonly turns: Turns;
  readonly commits: GroupCommit;
}

/** What the clock and the queue need from a call. */
export type TurnCall = Pick<CheckCall, 'body' | 'context'> & {
  readonly key: Pick<CheckCall['key'], 'workspace'>;
};

type Run = (context: RequestContext, turn: Turn) => Promise<Answer>;

export function inTurn(parts: TurnParts, call: TurnCall, run: Run): Promise<Answer> {
  const arrived = contextAfter(parts, call, 0);
  if ('status' in arrived) return Promise.resolve(arrived);
  return new Promise((resolve) => {
    parts.turns.take(call.key.workspace, call.body.length, (turn) =>
      resolve(turn === null ? problemAnswer(arrived, OVERLOADED) : withTurn(parts, call, arrived, turn, run)),
    );
  });
}

/** Starts without waiting, so that its workspace is charged for the deciding. */
async function withTurn(
  parts: TurnParts,
  call: TurnCall,
  arrived: RequestContext,
  turn: Turn,
  run: Run,
): Promise<Answer> {
  parts.commits.enter();
  try {
    // INVARIANT: a check that waited is decided as of now, not as of its arrival.
    const context = turn.waitedMs === 0 ? arrived : contextAfter(parts, call, turn.waitedMs);
    return 'status' in context ? context : await run(context, turn);
  } catch (thrown) {
    if (!(thrown instanceof StoreUnavailable)) throw thrown;
    return problemAnswer(arrived, storeUnavailable(thrown.message));
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
): RequestContext | Answer {
  const { requestId, traceId } = context;
  const clockMs = context.nowMs + Math.round(waitedMs);
  const moment = clock.at(clockMs);
  return moment.kind === 'now'
    ? { requestId, traceId, nowMs: moment.nowMs }
    : problemAnswer({ requestId, traceId, nowMs: clockMs }, clockRefusal(moment));
}

const OVERLOADED: Refusal = {
  ...refuse('overloaded', 'the service is overloaded; try again in a moment'),
  retryAfterMs: 1_000,
};
