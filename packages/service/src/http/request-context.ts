/** The two names of a request: the id a caller may choose, and the trace it belongs to. */
import type { IncomingHttpHeaders } from 'node:http';
import { newId } from '../ids/new-id.ts';
import { randomHex } from '../ids/random-hex.ts';

export interface RequestContext {
  readonly requestId: string;
  readonly traceId: string;
  readonly nowMs: number;
}

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;
/** Version 00 is exactly this long; a later version may say more after another dash. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

export function requestContext(headers: IncomingHttpHeaders, nowMs: number): RequestContext {
  const asked = headers['x-request-id'];
  const requestId = typeof asked === 'string' && REQUEST_ID.test(asked) ? asked : newId('req_', nowMs);
  return { requestId, traceId: continuedTrace(headers.traceparent) ?? randomHex(32), nowMs };
}

function continuedTrace(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string') return null;
  const [matched, version, traceId, parentId, rest] = TRACEPARENT.exec(header) ?? [];
  if (!matched || version === 'ff' || (version === '00' && rest !== undefined)) return null;
  return /^0+$/.test(traceId!) || /^0+$/.test(parentId!) ? null : traceId!;
}
