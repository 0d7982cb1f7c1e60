/** The one catch: turns a throw into the caller's response and a log line. */

import { StoreUnavailable } from '@writecheck/store/port';
import { ActingEnded } from '@writecheck/store/port/acting';
import type { Answer } from '../exchange/answer.ts';
import { problemAnswer } from '../exchange/problem-answer.ts';
import { refuse } from '../exchange/refusal.ts';
import type { RequestContext } from '../exchange/request-context.ts';
import { causeOf, describedError } from '../support/observability/described-error.ts';
import type { Log } from '../support/observability/log.ts';

const NOT_AVAILABLE = 'the store is not available at the moment; try again';
const RETRY_AFTER_MS = 1_000;
/** Each attempt fills some of the index, and so does the time between them. */
const RETRY_LIST_AFTER_MS = 5_000;

/** `outages` counts what repeats; an internal error is always logged, because its response refers to the line. */
export function failedAnswer(error: unknown, context: RequestContext, log: Log, outages: Log): Answer {
  const { requestId } = context;
  if (error instanceof ActingEnded) return problemAnswer(context, refuse(error.code, error.message));
  if (error instanceof StoreUnavailable && error.why === 'behind')
    return problemAnswer(context, {
      ...refuse('store_unavailable', error.message),
      retryAfterMs: RETRY_LIST_AFTER_MS,
    });
  if (error instanceof StoreUnavailable) {
    outages.warn(
      { why: error.why, error: error.message, cause: causeOf(error), requestId },
      'the store is unavailable',
    );
    // Checks go on then, and trying again does not help whoever reads old records.
    const message = error.why === 'archive' ? error.message : NOT_AVAILABLE;
    return problemAnswer(context, { ...refuse('store_unavailable', message), retryAfterMs: RETRY_AFTER_MS });
  }
  log.error({ requestId, error: describedError(error) }, 'an answer failed');
  return problemAnswer(
    context,
    refuse('internal_error', 'internal error; it is logged under this request id'),
  );
}
