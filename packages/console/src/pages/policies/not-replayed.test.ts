import { expect, test } from 'vitest';
import { notReplayed } from './not-replayed.ts';

const NONE = { pruned: 0, version: 0, evidence: 0, frozen: 0, facts: 0 };

test('a replay says why it left decisions out, and nothing if it left none out', () => {
  expect(notReplayed({ decisions: 9, replayed: 9, notReplayed: NONE })).toBeNull();
  const left = { ...NONE, evidence: 21, facts: 4 };
  expect(notReplayed({ decisions: 329, replayed: 304, notReplayed: left })).toBe(
    '25 decisions can’t be replayed: 21 with evidence that was not verified then as it would be now, 4 without the facts that a condition reads.',
  );
});
