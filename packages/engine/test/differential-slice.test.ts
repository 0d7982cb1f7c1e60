/** The first cases of the differential test, for a quick check while working. */
import { expect, test } from 'vitest';
import { describeDifference, runDifferential } from './differential.ts';

const SEED = 20_261_103;

test('the engine equals the naive model on 3,000 cases', () => {
  const { cases, difference } = runDifferential({ seed: SEED, firstBundle: 0, bundles: 30 });
  expect(difference === null ? '' : describeDifference(difference)).toBe('');
  expect(cases).toBe(3_000);
});
