/** Asks until there is a response, the retries are used up, or the one deadline over all of them has passed. */
import type { NoDecisionCause, Unanswered } from './decision-types.ts';
import { type Answer, exchange, type Failure, type OutgoingRequest } from './exchange.ts';
import { isOutage } from './local-decision.ts';
import type { AbortSignalLike, Fetch } from './platform.ts';

interface AskLimits {
  readonly timeoutMs: number;
  readonly retries: number;
  readonly signal?: AbortSignalLike | undefined;
  /** When the time starts, on the monotonic clock; now by default. */
  readonly sinceMs?: number | undefined;
}

export interface Answered {
  readonly kind: 'answered';
  readonly answer: Answer;
  /** When the first attempt was sent, on the monotonic clock: a retry may get the decision of an earlier one. */
  readonly sentAtMs: number;
}

const FIRST_BACKOFF_MS = 50;

export async function askService(
  fetch: Fetch,
  request: OutgoingRequest,
  limits: AskLimits,
): Promise<Answered | Unanswered> {
  const { timeoutMs, signal } = limits;
  const aborted: NoDecisionCause = { kind: 'aborted', message: 'the caller aborted the check' };
  const late: NoDecisionCause = {
    kind: 'timeout',
    message: `the service did not respond within ${timeoutMs} ms`,
  };
  if (signal?.aborted) return { kind: 'unanswered', cause: aborted };

  // INVARIANT: once an attempt met anything except an outage, no later outage replaces it as the cause; otherwise a
  // refusal followed by a timeout would let an unprotected write run.
  let refusal: NoDecisionCause | undefined;
  const noteRefusal = (cause: NoDecisionCause): void => {
    refusal = cause;
  };

  const stop = new AbortController();
  const sentAtMs = performance.now();
  const deadlineMs = (limits.sinceMs ?? sentAtMs) + timeoutMs;

  async function attempts(): Promise<Answer | Failure> {
    for (let attempt = 0; ; attempt++) {
      const outcome = await exchange(fetch, request, stop.signal, noteRefusal);
      if (outcome.kind === 'answer') return outcome;
      if (!isOutage(outcome.cause)) noteRefusal(outcome.cause);
      if (outcome.retryAfterMs === 'never' || attempt >= limits.retries) return outcome;
      const waitMs = outcome.retryAfterMs + Math.random() * FIRST_BACKOFF_MS * 2 ** attempt;
      if (performance.now() + waitMs >= deadlineMs) return outcome;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (stop.signal.aborted) return outcome;
    }
  }

  let timer: ReturnType<typeof setTimeout> | undefined;
  let onAbort = (): void => {};
  const stopped = new Promise<NoDecisionCause>((resolve) => {
    timer = setTimeout(() => resolve(late), Math.max(0, deadlineMs - sentAtMs));
    onAbort = () => resolve(aborted);
    signal?.addEventListener('abort', onAbort);
  });
  try {
    const outcome = await Promise.race([attempts(), stopped]);
    if (signal?.aborted) return { kind: 'unanswered', cause: aborted };
    if (outcome.kind === 'answer') {
      if (performance.now() < deadlineMs) return { kind: 'answered', answer: outcome, sentAtMs };
      // A blocked event loop can deliver a response before the timer that should have stopped it. It is too late to
      // use, but it is a response: it may say no, so this is not an outage.
      return {
        kind: 'unanswered',
        cause: { kind: 'expired', message: `the response came after ${timeoutMs} ms` },
      };
    }
    return { kind: 'unanswered', cause: refusal ?? (outcome.kind === 'failure' ? outcome.cause : outcome) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    stop.abort();
  }
}
