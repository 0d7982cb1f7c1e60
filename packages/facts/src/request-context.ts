/**
 * The values that every response repeats from its request: the id a caller may choose, the trace it belongs to,
 * and the time.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { continuedTrace, givenRequestId } from '@writecheck/contract';

export interface RequestContext {
  readonly requestId: string;
  readonly traceId: string;
  readonly nowMs: number;
}

export function requestContext(headers: IncomingHttpHeaders, nowMs: number): RequestContext {
  const { 'x-request-id': requestId, traceparent } = headers;
  return {
    requestId: givenRequestId(textOf(requestId)) ?? newRequestId(nowMs),
    traceId: continuedTrace(textOf(traceparent)) ?? randomBytes(16).toString('hex'),
    nowMs,
  };
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

/** A UUIDv7, like the ids of the service. */
function newRequestId(nowMs: number): string {
  const random = randomBytes(10);
  random[0] = (random[0]! & 0x0f) | 0x70;
  random[2] = (random[2]! & 0x3f) | 0x80;
  return `req_${nowMs.toString(16).padStart(12, '0')}${random.toString('hex')}`;
}
