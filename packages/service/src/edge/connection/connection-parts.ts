/** The parts that both kinds of connection need to respond to requests. */
import type { ErrorCode } from '@writecheck/contract';
import type { Answer } from '../../exchange/answer.ts';
import type { HttpRequest } from '../../exchange/request.ts';
import type { RequestContext } from '../../exchange/request-context.ts';

export interface ConnectionParts {
  readonly clock: () => number;
  /** The gates and the route behind them; never rejects. Null if the client left before there was a response. */
  readonly handle: (request: HttpRequest, context: RequestContext) => Promise<Answer | null>;
  /** Turns a throw into a response, and logs it under the context's request id. */
  readonly failed: (error: unknown, context: RequestContext) => Answer;
  /** Called for every response that was sent. */
  readonly finished: (exchange: Exchange) => void;
}

interface Exchange {
  readonly request: HttpRequest;
  readonly context: RequestContext;
  readonly status: number;
  /** The error's code; null for any other response. */
  readonly code: ErrorCode | null;
  readonly durationMs: number;
}
