/** What every response repeats from its request: the id a caller may choose, the trace it belongs to, and the time. */
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface RequestContext {
  readonly requestId: string;
  readonly traceId: string;
  readonly nowMs: number;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

export function requestContext(headers: IncomingHttpHeaders, nowMs: number): RequestContext {
  const asked = headers['x-request-id'];
  const requestId = typeof asked === 'string' && /^[!-~]{1,128}$/.test(asked) ? asked : newRequestId(nowMs);
  const { traceparent } = headers;
  const [, traceId] = TRACEPARENT.exec(typeof traceparent === 'string' ? traceparent : '') ?? [];
  return {
    requestId,
    traceId: traceId === undefined || /^0+$/.test(traceId) ? randomBytes(16).toString('hex') : traceId,
    nowMs,
  };
}

/** A UUIDv7, like the ids of the service. */
function newRequestId(nowMs: number): string {
  const random = randomBytes(10);
  random[0] = (random[0]! & 0x0f) | 0x70;
  random[2] = (random[2]! & 0x3f) | 0x80;
  return `req_${nowMs.toString(16).padStart(12, '0')}${random.toString('hex')}`;
}
