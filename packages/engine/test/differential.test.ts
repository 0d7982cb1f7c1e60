/** Compares the engine with the naive model on generated cases, and proves that these reach everything. */
import { expect, test } from 'vitest';
import { testInPart } from '../../../scripts/in-part.ts';
import { coverageFaults, FEASIBLE_TRIPLES, whyInfeasible } from './coverage.ts';
import { describeDifference } from './differential.ts';
import { runInThreads } from './differential-threads.ts';

const SEED = Number(process.env.WRITECHECK_SEED ?? 20_261_103);

const PART = 10_000;

testInPart(
  {
    part: PART,
    whole: 1_000_000,
    named: (count) =>
      `the engine equals the naive model on ${count} cases (seed ${SEED}), which reach every triple often`,
  },
  async (cases) => {
    // A second thread compiles everything a second time, which only pays for many cases.
    const isPart = cases === PART;
    const outcome = await runInThreads({ seed: SEED, cases, threads: isPart ? 1 : 2 });
    expect(outcome.difference === null ? '' : describeDifference(outcome.difference)).toBe('');
    expect(outcome.cases).toBe(cases);
    // In few cases a rare triple may come up half as often as in many.
    expect(coverageFaults(outcome.hits, cases / (isPart ? 2_000 : 1_000))).toEqual([]);
  },
);

test('every triple is either reached or known to be impossible', () => {
  expect(FEASIBLE_TRIPLES).toHaveLength(60);
  expect(whyInfeasible('CONTROL_EVIDENCE_REVOKED', 'pause', 'enforce')).toMatch(/always blocks/);
});
