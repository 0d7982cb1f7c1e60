import { expect, test } from 'vitest';
import { boundWithoutResponse, holdsAnyOf } from './kept-decisions.ts';

const ID = `dec_${'1'.repeat(32)}`;
const OTHER = `dec_${'2'.repeat(32)}`;
const row = { replayable_while: 'null', response: Buffer.from(`{"decision":"pause","decision_id":"${ID}"}`) };
const NOTHING = Buffer.alloc(0);
const taken = { decisionId: ID, redeemedAt: '2026-11-18T00:00:00.000Z', claim: 'mine' };

function madeAgain(more: object) {
  const restsOn = [{ source: 'desk', jti: 'invoice-of-C-1' }];
  const whole = { validUntilMs: 1, policyRef: null, restsOn, freezeNumber: 0, ...more };
  return { replayable_while: JSON.stringify(whole), response: NOTHING };
}

test('what a key keeps is found by its decision, and by no other', () => {
  expect(holdsAnyOf(row, new Set([OTHER, ID]))).toBe(true);
  expect(holdsAnyOf(row, new Set([OTHER]))).toBe(false);
  expect(holdsAnyOf({ replayable_while: 'null', response: NOTHING }, new Set([ID]))).toBe(false);
});

test('a key whose response is rebuilt is found by the taken decision, and stays bound only to it', () => {
  const taking = madeAgain({ taken });
  expect([holdsAnyOf(taking, new Set([ID])), holdsAnyOf(taking, new Set([OTHER]))]).toEqual([true, false]);
  const bound = boundWithoutResponse(taking)!;
  const { claim: _, ...rest } = taken;
  expect(JSON.parse(bound)).toEqual({ validUntilMs: 0, policyRef: null, restsOn: [], taken: rest });
  expect(boundWithoutResponse({ replayable_while: bound })).toBe(bound);
});

test('the key of any other allow stays without a response, and the key of a pause is removed', () => {
  const over = { validUntilMs: 0, policyRef: null, restsOn: [] };
  expect(JSON.parse(boundWithoutResponse(madeAgain({}))!)).toEqual(over);
  expect(boundWithoutResponse({ replayable_while: 'null' })).toBeNull();
});
