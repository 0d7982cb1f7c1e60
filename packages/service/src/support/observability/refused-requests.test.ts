import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RefusedRequests } from './refused-requests.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('the first refusals of each key and code have a line, the others are counted, and the next ten seconds start from zero', () => {
  const info = vi.fn();
  const refused = new RefusedRequests({ info });
  const one = { code: 'invalid_request', workspace: 'ws_1', actor: 'key_1', requestId: 'req_1' };
  for (let i = 0; i < 10; i += 1) refused.add(one);
  refused.add({ ...one, actor: 'key_2' });
  refused.add({ code: 'invalid_key' });
  expect(info.mock.calls.map(([fields]) => fields.actor)).toEqual([
    'key_1',
    'key_1',
    'key_1',
    'key_2',
    undefined,
  ]);
  expect(info.mock.calls[0]).toEqual([one, 'refused']);
  info.mockClear();
  vi.advanceTimersByTime(10_000);
  expect(info.mock.calls).toEqual([
    [{ codes: { invalid_request: 7 }, withinMs: 10_000 }, expect.any(String)],
  ]);
  refused.add(one);
  expect(info).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(60_000);
  refused.stop();
  expect(info).toHaveBeenCalledTimes(2);
});

test('many keys cannot fill the log or the memory', () => {
  const info = vi.fn();
  const refused = new RefusedRequests({ info });
  for (let i = 0; i < 10_000; i += 1) refused.add({ code: 'rate_limited', actor: `key_${i}` });
  expect(info).toHaveBeenCalledTimes(100);
  refused.stop();
  expect(info.mock.calls.at(-1)![0]).toMatchObject({ codes: { rate_limited: 9_900 } });
});
