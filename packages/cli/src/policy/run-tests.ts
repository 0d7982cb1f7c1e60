/** `writecheck policy test`: runs the tests of a bundle and shows the expected and actual results. */
import { painterFor } from '@writecheck/adapters/ask';
import type { EngineDecision } from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import { type PolicyTestDocument, runPolicyTest } from '@writecheck/engine';
import { type GoodBundle, loadBundle } from './bundle.ts';

export interface TestOutcome {
  readonly test: PolicyTestDocument;
  readonly place: string;
  readonly faults: readonly string[];
  readonly decided: EngineDecision | null;
}

/** No attestation of a test can name a workspace, so none is valid. */
const NO_WORKSPACE = '';

export async function policyTest(path: string): Promise<void> {
  const outcomes = await testOutcomes(await loadBundle(path));
  showOutcomes(outcomes);
  if (outcomes.length === 0) throw new CommandFailure(`\`${path}\` holds no PolicyTest`);
  if (outcomes.some(isFailed)) process.exitCode = 1;
}

export async function testOutcomes({
  documents,
  snapshot,
  placeOf,
}: GoodBundle): Promise<readonly TestOutcome[]> {
  const outcomes: TestOutcome[] = [];
  for (const test of documents) {
    if (test.kind !== 'PolicyTest') continue;
    const { faults, decided } = await runPolicyTest(test, snapshot, NO_WORKSPACE);
    const { file, line } = placeOf(test, '');
    outcomes.push({
      test,
      place: [file, line].filter((part) => part !== undefined).join(':'),
      faults: faults.map(({ pointer, message }) => `${pointer.slice(1).replaceAll('/', '.')}: ${message}`),
      decided,
    });
  }
  return outcomes;
}

export function isFailed({ faults }: TestOutcome): boolean {
  return faults.length > 0;
}

function showOutcomes(outcomes: readonly TestOutcome[]): void {
  const paint = painterFor(process.stdout);
  for (const { test, place, faults, decided } of outcomes) {
    if (faults.length === 0) {
      process.stdout.write(`${paint('green', '✓')} ${test.id}\n`);
      continue;
    }
    process.stdout.write(`${paint('red', '✗')} ${test.id}  ${paint('dim', place)}\n`);
    for (const fault of faults) process.stdout.write(`    ${fault}\n`);
    if (decided !== null) process.stdout.write(`    because: ${decided.reason}\n`);
  }
  const failed = outcomes.filter(isFailed).length;
  process.stdout.write(`${outcomes.length - failed} passed, ${failed} failed\n`);
}
