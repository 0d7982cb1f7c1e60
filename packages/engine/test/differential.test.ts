/** Compares the engine with the naive model on generated cases, and proves that these reach everything. */
import { expect, test } from 'vitest';
import { testInPart } from '../../../scripts/in-part.ts';
import { coverageFaults, FEASIBLE_TRIPLES, whyInfeasible } from './coverage.ts';
import { describeDifference } from './differential.ts';
import { runInThreads } from './differential-threads.ts';

const SEED = Number(process.env.WRITECHECK_SEED ?? 20_261_103);

testInPart(
  {
    part: 30_000,
    whole: 1_000_000,
    named: (count) =>
      `the engine equals the naive model on ${count} cases (seed ${SEED}), which reach every triple often`,
  },
  async (cases) => {
    const outcome = await runInThreads({ seed: SEED, cases, threads: 2 });
    expect(outcome.difference === null ? '' : describeDifference(outcome.difference)).toBe('');
    expect(outcome.cases).toBe(cases);
    expect(coverageFaults(outcome.hits, cases / 1_000)).toEqual([]);
  },
);

test('every triple is either reached or known to be impossible', () => {
  expect(FEASIBLE_TRIPLES).toHaveLength(60);
  expect(whyInfeasible('CONTROL_EVIDENCE_REVOKED', 'pause', 'enforce')).toMatch(/always blocks/);
});
