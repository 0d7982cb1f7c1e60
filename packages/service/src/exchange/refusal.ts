/** A response that is not a decision: the content of the error envelope, independent of HTTP. */
import type { ErrorCode, ProblemDetail } from '@writecheck/contract';
import type { Moment, SteadyClock } from '../support/clocks/steady-clock.ts';

export interface Refusal {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: readonly ProblemDetail[];
  /** When a retry makes sense. */
  readonly retryAfterMs?: number;
}

export function refuse(code: ErrorCode, message: string, details?: readonly ProblemDetail[]): Refusal {
  return details === undefined
    ? { kind: 'refused', code, message }
    : { kind: 'refused', code, message, details };
}

/** If a retry makes sense after this long. */
export function refuseFor(retryAfterMs: number, code: ErrorCode, message: string): Refusal {
  return { kind: 'refused', code, message, retryAfterMs };
}

/** Refuses one invalid member of the body or query. */
export function refuseAt(pointer: string, message: string): Refusal {
  return refuse('invalid_request', message, [{ pointer, message }]);
}

export function isRefusal(value: object): value is Refusal {
  return 'kind' in value && value.kind === 'refused';
}

const CLOCK_RETRY_MS_MAX = 60_000;

export function clockRefusal(moment: Exclude<Moment, { kind: 'now' }>): Refusal {
  const [offMs, off] =
    moment.kind === 'clock_behind'
      ? [moment.behindMs, 's behind; set the clock']
      : [moment.aheadMs, 's ahead; set the clock'];
  const message = `the clock is ${Math.ceil(offMs / 1_000)} ${off}`;
  return refuseFor(Math.min(offMs, CLOCK_RETRY_MS_MAX), moment.kind, message);
}

/** A time that is never behind the log, where the act may be recorded; refused if no clock can be trusted. */
export async function atLogTime<Done>(
  clock: Pick<SteadyClock, 'at'>,
  { nowMs }: { readonly nowMs: number },
  act: (nowMs: number) => Promise<Done>,
): Promise<Done | Refusal> {
  const moment = clock.at(nowMs);
  return moment.kind === 'now' ? act(moment.nowMs) : clockRefusal(moment);
}

export function storeUnavailable(message: string): Refusal {
  return refuseFor(1_000, 'store_unavailable', message);
}

export const BAD_CURSOR = refuseAt('/cursor', '`cursor` must be the `nextCursor` of an earlier page');
