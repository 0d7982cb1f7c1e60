/** Reads the request's id and its trace, which a caller may name in headers. */

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;
/** Version 00 is exactly this long; a later version may add more after another dash. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** The `X-Request-Id`; null if it cannot be used. */
export function givenRequestId(header: string | undefined): string | null {
  return header !== undefined && REQUEST_ID.test(header) ? header : null;
}

/** The trace id of a `traceparent`; null if it begins no trace that can be continued. */
export function continuedTrace(header: string | undefined): string | null {
  if (header === undefined) return null;
  const [matched, version, traceId, parentId, rest] = TRACEPARENT.exec(header) ?? [];
  if (!matched || version === 'ff' || (version === '00' && rest !== undefined)) return null;
  return /^0+$/.test(traceId!) || /^0+$/.test(parentId!) ? null : traceId!;
}
