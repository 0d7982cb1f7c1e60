/** @module-tag nightly */
import { expect, test } from 'vitest';
import { fuzzPolicies } from './policy-torture.ts';

test('no mutated bundle crashes the service or is half applied: 1,500 of them', async () => {
  const { faults, applied, refused } = await fuzzPolicies(20_261_115, 1_500);
  expect(faults).toEqual([]);
  // Each outcome must occur, otherwise the test shows little.
  expect(applied).toBeGreaterThan(100);
  expect(refused.invalid_policy).toBeGreaterThan(100);
  expect(refused.loosening_unconfirmed).toBeGreaterThan(100);
}, 120_000);
