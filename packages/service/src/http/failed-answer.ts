/** The one catch: turns a throw into the caller's response and a log line. */

import type { Log } from '../observability/log.ts';
import { problemAnswer } from '../problem-answer.ts';
import { refuse } from '../refusal.ts';
import { StoreUnavailable } from '../store/port.ts';
import type { Answer } from './answer.ts';
import type { RequestContext } from './request-context.ts';

const RETRY_AFTER_MS = 1_000;

export function failedAnswer(error: unknown, context: RequestContext, log: Log): Answer {
  const fields = { requestId: context.requestId, error: described(error) };
  if (error instanceof StoreUnavailable) {
    log.warn(fields, 'the store is unavailable');
    const refusal = refuse('store_unavailable', 'the store is not available at the moment; try again');
    return problemAnswer(context, { ...refusal, retryAfterMs: RETRY_AFTER_MS });
  }
  log.error(fields, 'an answer failed');
  return problemAnswer(
    context,
    refuse('internal_error', 'internal error; it is logged under this request id'),
  );
}

function described(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const cause = error.cause === undefined ? {} : { cause: described(error.cause) };
  return { name: error.name, message: error.message, stack: error.stack, ...cause };
}
