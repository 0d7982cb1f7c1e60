/**
 * The whole claim about the client: a million corrupted and late responses, and no write that they should not cause.
 */
import { parseArgs } from 'node:util';
import { runCorruptions } from './corruptions.ts';

const WHOLE_CASES = 1_000_000;

export async function torture(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    // Other torture tests have their own options, and all get the same ones.
    strict: false,
    options: { cases: { type: 'string' }, seed: { type: 'string' } },
  });
  const cases = wholeNumber('cases', values.cases, WHOLE_CASES);
  const seed = wholeNumber('seed', values.seed, Math.floor(Math.random() * 2 ** 31));
  console.log(`client against corrupted and late answers: ${cases} cases, seed ${seed}`);
  const { answers, executed, stopped, faults } = await runCorruptions(cases, seed);
  return {
    claim: 'no corrupted or late answer makes the client write',
    count: `${answers} answers, ${stopped} stopped, ${executed} still a valid allow`,
    seed: String(seed),
    faults,
  };
}

function wholeNumber(name: string, text: string | boolean | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const value = Number(String(text).replaceAll('_', ''));
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`--${name} takes a whole number, not \`${text}\``);
}
