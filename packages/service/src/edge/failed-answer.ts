/** The one catch: turns a throw into the caller's response and a log line. */
import { StoreUnavailable } from '@writecheck/store/port';
import { ActingEnded } from '@writecheck/store/port/acting';
import { storedEnough } from '../check/quota.ts';
import type { Answer } from '../exchange/answer.ts';
import { problemAnswer } from '../exchange/problem-answer.ts';
import { refuse, storeUnavailable } from '../exchange/refusal.ts';
import type { RequestContext } from '../exchange/request-context.ts';
import { causeOf, describedError, stackOf } from '../support/observability/described-error.ts';
import type { Log } from '../support/observability/log.ts';

/** Each attempt fills some of the index, and so does the time between them. */
const RETRY_LIST_AFTER_MS = 5_000;

/** `outages` counts what repeats; an internal error is always logged, because its response refers to the line. */
export function failedAnswer(error: unknown, context: RequestContext, log: Log, outages: Log): Answer {
  const { requestId } = context;
  if (error instanceof ActingEnded)
    return error.code === 'quota_exceeded'
      ? problemAnswer(context, ...storedEnough(context.nowMs))
      : problemAnswer(context, refuse(error.code, error.message));
  if (error instanceof StoreUnavailable) {
    const { why, message } = error;
    const isBehind = why === 'behind';
    if (!isBehind)
      outages.warn(
        { why, error: message, cause: causeOf(error), stack: stackOf(error), requestId },
        'the store is unavailable',
      );
    const refusal = storeUnavailable(message);
    return problemAnswer(context, isBehind ? { ...refusal, retryAfterMs: RETRY_LIST_AFTER_MS } : refusal);
  }
  log.error({ requestId, error: describedError(error) }, 'a request failed');
  return problemAnswer(
    context,
    refuse('internal_error', 'internal error; it is logged under this request id'),
  );
}
