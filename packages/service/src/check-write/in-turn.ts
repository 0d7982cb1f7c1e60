/** Wraps every check: the clock, its turn in the queue, and a failing store. */

import type { SteadyClock } from '../clocks/steady-clock.ts';
import { problemAnswer, type RequestIdentity } from '../problem-answer.ts';
import { clockRefusal, type Refusal, refuse, storeUnavailable } from '../refusal.ts';
import { StoreUnavailable } from '../store/port.ts';
import type { CheckAnswer } from './answer.ts';
import type { GroupCommit } from './group-commit.ts';
import type { CheckCall } from './parse-request.ts';
import type { Turn, Turns } from './turns.ts';

export interface TurnParts {
  readonly clock: SteadyClock;
  readonly turns: Turns;
  readonly commits: GroupCommit;
}

/** What the clock and the queue need from a call. */
export type TurnCall = Pick<CheckCall, 'body' | 'requestId' | 'traceId' | 'clockMs'> & {
  readonly key: Pick<CheckCall['key'], 'workspace'>;
};

type Run = (identity: RequestIdentity, turn: Turn) => Promise<CheckAnswer>;

export function inTurn(parts: TurnParts, call: TurnCall, run: Run): Promise<CheckAnswer> {
  const arrived = identityAt(parts, call, 0);
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
  arrived: RequestIdentity,
  turn: Turn,
  run: Run,
): Promise<CheckAnswer> {
  parts.commits.enter();
  try {
    // INVARIANT: a check that waited is decided as of now, not as of its arrival.
    const identity = turn.waitedMs === 0 ? arrived : identityAt(parts, call, turn.waitedMs);
    return 'status' in identity ? identity : await run(identity, turn);
  } catch (thrown) {
    if (!(thrown instanceof StoreUnavailable)) throw thrown;
    return problemAnswer(arrived, storeUnavailable(thrown.message));
  } finally {
    parts.commits.leave();
    turn.end();
  }
}

function identityAt(
  { clock }: TurnParts,
  { clockMs, requestId, traceId }: TurnCall,
  waitedMs: number,
): RequestIdentity | CheckAnswer {
  const sinceMs = clockMs + Math.round(waitedMs);
  const moment = clock.at(sinceMs);
  return moment.kind === 'now'
    ? { requestId, traceId, nowMs: moment.nowMs }
    : problemAnswer({ requestId, traceId, nowMs: sinceMs }, clockRefusal(moment));
}

const OVERLOADED: Refusal = {
  ...refuse('overloaded', 'the service is overloaded; try again in a moment'),
  retryAfterMs: 1_000,
};
