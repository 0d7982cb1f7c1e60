import { expect, test } from 'vitest';
import { boundWithoutResponse, holdsAnyOf } from './kept-decisions.ts';

const ID = `dec_${'1'.repeat(32)}`;
const OTHER = `dec_${'2'.repeat(32)}`;
const THIRD = `dec_${'3'.repeat(32)}`;
const batch = {
  replayable_while: 'null',
  response: Buffer.from(`{"results":[{"decision_id":"${OTHER}"},{"decision_id":"${ID}","ü":1}]}`),
};
const NOTHING = Buffer.alloc(0);
const taken = { decisionId: ID, redeemedAt: '2026-11-18T00:00:00.000Z', claim: 'mine' };

function madeAgain(more: object) {
  const restsOn = [{ source: 'desk', jti: 'invoice-of-C-1' }];
  const whole = { validUntilMs: 1, policyRef: null, restsOn, freezeNumber: 0, ...more };
  return { replayable_while: JSON.stringify(whole), response: NOTHING };
}

test('a kept answer is found by any of its decisions, and by no other', () => {
  expect(holdsAnyOf(batch, new Set([ID]))).toBe(true);
  expect(holdsAnyOf(batch, new Set([OTHER]))).toBe(true);
  expect(holdsAnyOf(batch, new Set([THIRD]))).toBe(false);
  expect(holdsAnyOf({ replayable_while: 'null', response: NOTHING }, new Set([ID]))).toBe(false);
});

test('a key whose response is made again is found by the decision that was taken, and stays bound to that alone', () => {
  const row = madeAgain({ taken });
  expect([holdsAnyOf(row, new Set([ID])), holdsAnyOf(row, new Set([OTHER]))]).toEqual([true, false]);
  const bound = boundWithoutResponse(row)!;
  const { claim: _, ...rest } = taken;
  expect(JSON.parse(bound)).toEqual({ validUntilMs: 0, policyRef: null, restsOn: [], taken: rest });
  expect(boundWithoutResponse({ replayable_while: bound })).toBe(bound);
});

test('the key of any other allow stays bound to nothing, and that of a pause is forgotten', () => {
  const over = { validUntilMs: 0, policyRef: null, restsOn: [] };
  expect(JSON.parse(boundWithoutResponse(madeAgain({}))!)).toEqual(over);
  expect(boundWithoutResponse({ replayable_while: 'null' })).toBeNull();
});
