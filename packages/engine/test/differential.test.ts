/** The engine against the naive model on generated cases, and proof that they reach everything there is. */
import { expect, test } from 'vitest';
import { coverageFaults, FEASIBLE_TRIPLES, whyInfeasible } from './coverage.ts';
import { describeDifference } from './differential.ts';
import { runInThreads } from './differential-threads.ts';

const SEED = Number(process.env.WRITECHECK_SEED ?? 20_261_103);

async function equalsTheModel(cases: number): Promise<void> {
  const outcome = await runInThreads({ seed: SEED, cases, threads: 2 });
  expect(outcome.difference === null ? '' : describeDifference(outcome.difference)).toBe('');
  expect(outcome.cases).toBe(cases);
  expect(coverageFaults(outcome.hits, cases / 1_000)).toEqual([]);
}

// The number of cases bounds the work; a busy machine only takes longer.
test(
  `the engine equals the naive model on 250,000 cases (seed ${SEED}), which reach every triple 250 times`,
  {
    timeout: 0,
  },
  () => equalsTheModel(250_000),
);

test(
  `the engine equals the naive model on 1,000,000 cases (seed ${SEED}), which reach every triple 1,000 times`,
  {
    tags: 'nightly',
    timeout: 0,
  },
  () => equalsTheModel(1_000_000),
);

test('every triple is either reached or known to be impossible', () => {
  expect(FEASIBLE_TRIPLES).toHaveLength(60);
  expect(whyInfeasible('CONTROL_EVIDENCE_REVOKED', 'pause', 'enforce')).toMatch(/always blocks/);
});
