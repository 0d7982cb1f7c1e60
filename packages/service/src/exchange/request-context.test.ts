import { expect, test } from 'vitest';
import { requestContext } from './request-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

function contextOf(headers: Record<string, string>) {
  return requestContext({ header: (name) => headers[name] }, 1_000);
}

test('a request id of 1 to 128 visible ASCII characters is echoed, any other is replaced', () => {
  expect(contextOf({ 'x-request-id': 'a' }).requestId).toBe('a');
  expect(contextOf({ 'x-request-id': '~'.repeat(128) }).requestId).toBe('~'.repeat(128));
  for (const wrong of ['', 'a b', 'é', '~'.repeat(129), 'a\tb']) {
    expect(contextOf({ 'x-request-id': wrong }).requestId).toMatch(/^req_[0-9a-f]{32}$/);
  }
});

test('a trace is continued from a valid traceparent', () => {
  expect(contextOf({ traceparent: `00-${TRACE}-00f067aa0ba902b7-01` }).traceId).toBe(TRACE);
  expect(contextOf({ traceparent: `cc-${TRACE}-00f067aa0ba902b7-01-what` }).traceId).toBe(TRACE);
});

test('an invalid traceparent starts a new trace', () => {
  for (const wrong of [
    `ff-${TRACE}-00f067aa0ba902b7-01`,
    `00-${TRACE}-00f067aa0ba902b7-01-more`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`,
    'garbage',
  ]) {
    const { traceId } = contextOf({ traceparent: wrong });
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(traceId).not.toBe(TRACE);
  }
});

test('new traces never repeat', () => {
  expect(new Set(Array.from({ length: 5_000 }, () => contextOf({}).traceId)).size).toBe(5_000);
});
