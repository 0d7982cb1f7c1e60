/** The whole claim about the engine: equal to the naive model on a hundred million cases that reach every triple. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { coverageFaults, FEASIBLE_TRIPLES } from './coverage.ts';
import { describeDifference } from './differential.ts';
import { runInThreads } from './differential-threads.ts';

const WHOLE_CASES = 100_000_000;
/** Below this a rare triple may be missed by chance, so that coverage is printed and not judged. */
const FEWEST_CASES_TO_JUDGE_COVERAGE = 1_000_000;
const PROGRESS_EVERY_MS = 10_000;

export async function torture(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: { cases: { type: 'string' }, seed: { type: 'string' }, threads: { type: 'string' } },
  });
  const cases = wholeNumber('cases', values.cases, WHOLE_CASES);
  const seed = wholeNumber('seed', values.seed, Math.floor(Math.random() * 2 ** 31));
  const threads = wholeNumber('threads', values.threads, availableParallelism());

  console.log(`engine against model: ${cases} cases, seed ${seed}, ${threads} threads`);
  const startedMs = Date.now();
  let toldMs = startedMs;
  const outcome = await runInThreads({
    seed,
    cases,
    threads,
    onProgress: (soFar) => {
      if (Date.now() - toldMs < PROGRESS_EVERY_MS) return;
      toldMs = Date.now();
      const seconds = (toldMs - startedMs) / 1000;
      console.log(
        `  ${soFar.cases} cases in ${seconds.toFixed(0)} s (${Math.round(soFar.cases / seconds)} a second)`,
      );
    },
  });

  const judged = cases >= FEWEST_CASES_TO_JUDGE_COVERAGE;
  const rare = judged ? coverageFaults(outcome.hits, Math.min(10_000, Math.floor(cases / 1000))) : [];
  const differences = outcome.difference === null ? [] : [describeDifference(outcome.difference)];
  const rarest = [...FEASIBLE_TRIPLES].sort((a, b) => (outcome.hits[a] ?? 0) - (outcome.hits[b] ?? 0))[0]!;
  return {
    claim: 'the engine equals the naive model',
    count: `${outcome.cases} cases, rarest triple ${outcome.hits[rarest] ?? 0} times (${rarest})`,
    seed: String(seed),
    faults: [...differences, ...rare],
  };
}

function wholeNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const value = Number(text.replaceAll('_', ''));
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`--${name} takes a whole number, not \`${text}\``);
}
