import { expect, test } from 'vitest';
import { reachedIn } from './reached-limits.ts';

function record(drawn: string, draw: string | null, more: object = {}): Buffer {
  const limits = [{ id: 'refunds', max: '500', drawn, draw, observed: false, ...more }];
  const readings = [{ limit: 'refunds', group: 'sha256:ab', drawn, resetsAt: null }];
  const draws = [{ counter: 'sha256:cd', group: ['C-1'] }];
  const before = JSON.stringify({ version: '1', readings, draws, decision: { decision: 'allow', limits } });
  return Buffer.from(`${before.slice(0, -1)},"intent":{"readings":[1],"limits":[2]}}`);
}

const REACHED = { limit: 'refunds', group: 'sha256:ab' };

test.each([
  ['399.99', '0', []],
  ['399.99', '0.01', [80]],
  ['400', '99.99', []],
  ['499', '1', [100]],
  ['0', '500', [100]],
  ['500', '1', []],
  ['0', null, []],
])('a draw that takes %s by %s further reaches %j', (drawn, draw, percents) => {
  expect(reachedIn(record(drawn, draw))).toEqual(percents.map((percent) => ({ ...REACHED, percent })));
});

test('a limit that observes reaches nothing, and neither does a record without readings', () => {
  expect(reachedIn(record('0', '500', { observed: true }))).toEqual([]);
  expect(reachedIn(Buffer.from('{"version":"1","intent":{"a":1,"readings":[]}}'))).toEqual([]);
});
