/** What every response repeats from its request: the id a caller may choose, the trace it belongs to, and the time. */
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

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;
/** Version 00 is exactly this long; a later version may add more after another dash. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** For errors before a request can be read. */
export const UNREAD: Headers = { header: () => undefined };

export function requestContext(request: Headers, nowMs: number): RequestContext {
  const asked = request.header('x-request-id');
  const requestId = asked !== undefined && REQUEST_ID.test(asked) ? asked : newId('req_', nowMs);
  return { requestId, traceId: continuedTrace(request.header('traceparent')) ?? randomHex(32), nowMs };
}

function continuedTrace(header: string | undefined): string | null {
  if (header === undefined) return null;
  const [matched, version, traceId, parentId, rest] = TRACEPARENT.exec(header) ?? [];
  if (!matched || version === 'ff' || (version === '00' && rest !== undefined)) return null;
  return /^0+$/.test(traceId!) || /^0+$/.test(parentId!) ? null : traceId!;
}
