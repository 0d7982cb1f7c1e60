/** `writecheck policy diff`: what loosens, what tightens and what cannot be compared, with examples. */
import { painterFor } from '@writecheck/adapters/ask';
import { findLoosened, type LoosenedExample, sampleCases } from '@writecheck/engine';
import {
  compareWithExamples,
  describeExample,
  describeFinding,
} from '@writecheck/service/features/policies/compare-texts';
import { type GoodBundle, loadBundleOrRunning } from './bundle.ts';
import { LOOSENS_EXIT_CODE, type ServiceOptions } from './service.ts';

export async function policyDiff(
  before: string,
  after: string,
  options: ServiceOptions & { readonly json: boolean },
): Promise<void> {
  const old = await loadBundleOrRunning(before, options);
  const next = await loadBundleOrRunning(after, options);
  if (old.isFirst) {
    const json = { loosens: [], unclear: [], tightens: [], examples: { loosens: [], tightens: [] } };
    process.stdout.write(
      options.json
        ? `${JSON.stringify(json, null, 2)}\n`
        : 'no bundle is active yet, so there is nothing to compare with; the first one needs no confirmation\n',
    );
    return;
  }
  const nowMs = Date.now();
  const { findings, isLooser, examples } = compareWithExamples(old, next, null, nowMs);
  const loosens = findings.filter(({ kind }) => kind === 'loosens');
  const unclear = findings.filter(({ kind }) => kind === 'unclear');
  const tightens = findings.filter(({ kind }) => kind === 'tightens');
  const tighter = tightens.length === 0 ? [] : tightened(old, next, nowMs);
  if (isLooser) process.exitCode = LOOSENS_EXIT_CODE;
  if (options.json) {
    const json = { loosens, unclear, tightens, examples: { loosens: examples, tightens: tighter } };
    process.stdout.write(`${JSON.stringify(json, null, 2)}\n`);
    return;
  }
  const paint = painterFor(process.stdout);
  const lines: string[] = [];
  for (const finding of loosens) lines.push(`${paint('red', 'loosens ')} ${describeFinding(finding)}`);
  for (const finding of unclear) lines.push(`${paint('yellow', 'unclear ')} ${describeFinding(finding)}`);
  for (const example of examples) lines.push(`         ${describeExample(example)}`);
  for (const finding of tightens) lines.push(`${paint('green', 'tightens')} ${describeFinding(finding)}`);
  for (const example of tighter) lines.push(`         ${describeExample(example)}`);
  if (findings.length === 0) lines.push('no differences that affect decisions');
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** What tightens in one direction loosens in the other. */
function tightened(old: GoodBundle, next: GoodBundle, nowMs: number): readonly LoosenedExample[] {
  const cases = sampleCases(next.documents, old.documents, nowMs);
  const startedMs = performance.now();
  const isOver = () => performance.now() - startedMs > 2_000;
  return findLoosened(cases, next.snapshot, old.snapshot, isOver).map((example) => ({
    ...example,
    before: example.after,
    after: example.before,
  }));
}
