import { AUDIT, SESSIONS, STATUS } from '@writecheck/api';
import { expect, test } from 'vitest';
import { answer, answerText, implement } from './implement.ts';

test('a handler that returns another status or shape than its operation declares does not compile', () => {
  expect(answer(STATUS.health, 200, { status: 'ok' })).toEqual({
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    body: '{"status":"ok"}',
  });
  // @ts-expect-error: another status
  answer(SESSIONS.signOut, 200, null);
  // @ts-expect-error: another value
  answer(STATUS.health, 200, { status: 'well' });
  // @ts-expect-error: a member that nobody described
  answer(STATUS.health, 200, { status: 'ok', since: 1 });
  // @ts-expect-error: the answer of another operation
  implement(STATUS.health, () => answer(SESSIONS.signOut, 204, null));
  // @ts-expect-error: an answer of no operation
  implement(STATUS.health, () => ({ status: 200, headers: {}, body: '{"status":"ok"}' }));
});

test('a text is sent as what its operation declares', () => {
  expect(answer(SESSIONS.signOut, 204, null)).toEqual({
    status: 204,
    headers: { 'cache-control': 'no-store' },
    body: null,
  });
  expect(answerText(AUDIT.checkpoint, 200, 'note').headers['content-type']).toBe('text/plain; charset=utf-8');
});
