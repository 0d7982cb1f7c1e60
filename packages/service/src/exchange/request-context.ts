/** The context that every response repeats from its request: the id, the trace, and the time. */
import { continuedTrace, givenRequestId } from '@writecheck/contract';
import { newId, randomHex } from '../support/ids/new-id.ts';

export interface RequestContext {
  readonly requestId: string;
  readonly traceId: string;
  /** When the request arrived, by the system clock; for a check, the time it is decided at. */
  readonly nowMs: number;
}

interface Headers {
  /** `name` is in lower case. */
  header(name: string): string | undefined;
}

/** Stands for the headers if an error occurs before they are read. */
export const UNREAD: Headers = { header: () => undefined };

export function requestContext(request: Headers, nowMs: number): RequestContext {
  const requestId = givenRequestId(request.header('x-request-id')) ?? newId('req_', nowMs);
  return { requestId, traceId: continuedTrace(request.header('traceparent')) ?? randomHex(32), nowMs };
}
