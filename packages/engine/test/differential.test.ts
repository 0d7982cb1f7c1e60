/** The engine against the naive model on a million generated cases, and proof that they reach everything there is. */
import { expect, test } from 'vitest';
import { coverageFaults, FEASIBLE_TRIPLES, whyInfeasible } from './coverage.ts';
import { describeDifference } from './differential.ts';
import { runInThreads } from './differential-threads.ts';

const SEED = Number(process.env.WRITECHECK_SEED ?? 20_261_103);
const CASES = 1_000_000;
test(`the engine equals the naive model on ${CASES.toLocaleString('en')} cases (seed ${SEED}), which reach every triple 1,000 times`, {
  // The number of cases bounds the work; a busy machine only takes longer.
  timeout: 0,
}, async () => {
  const { cases, hits, difference } = await runInThreads({ seed: SEED, cases: CASES, threads: 2 });
  expect(difference === null ? '' : describeDifference(difference)).toBe('');
  expect(cases).toBe(CASES);
  expect(coverageFaults(hits, 1000)).toEqual([]);
});

test('every triple is either reached or known to be impossible', () => {
  expect(FEASIBLE_TRIPLES).toHaveLength(60);
  expect(whyInfeasible('CONTROL_EVIDENCE_REVOKED', 'pause', 'enforce')).toMatch(/always blocks/);
});
