import { expect, it } from 'vitest';
import { faulty } from './export-verdict.ts';

it.each([
  [{ line: 0 }, 'not verified: why'],
  [{ line: 3 }, 'not verified: line 3: why'],
  [{ line: 3, log: 'w1' }, 'not verified: line 3, log `w1`: why'],
  [{ line: 3, log: 'w1', index: 0 }, 'not verified: line 3, log `w1`, entry 0: why'],
  [{ line: 0, log: 'w1' }, 'not verified: log `w1`: why'],
])('an error at %o is reported with its place', (place, words) => {
  const fault = { code: 'incomplete', message: 'why', ...place } as const;
  expect(faulty(fault)).toEqual({ ok: false, words, fault });
});
