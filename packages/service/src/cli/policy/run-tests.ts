/** `writecheck policy test`: runs the tests of a bundle and shows what was expected and what was found. */
import { writeFile } from 'node:fs/promises';
import { painterFor } from '@writecheck/adapters/ask';
import type { EngineDecision } from '@writecheck/contract';
import { type PolicyTestDocument, runPolicyTest } from '@writecheck/engine';
import { CommandFailure } from '../fail.ts';
import { loadBundle } from './bundle.ts';

interface Outcome {
  readonly test: PolicyTestDocument;
  readonly place: string;
  readonly faults: readonly string[];
  readonly decided: EngineDecision | null;
  readonly seconds: number;
}

/** No attestation of a test can name a workspace, so none is valid. */
const NO_WORKSPACE = '';

export async function policyTest(path: string, options: { readonly junit?: string }): Promise<void> {
  const { documents, snapshot, placeOf } = await loadBundle(path);
  const outcomes: Outcome[] = [];
  for (const test of documents) {
    if (test.kind !== 'PolicyTest') continue;
    const startedMs = performance.now();
    const { faults, decided } = await runPolicyTest(test, snapshot, NO_WORKSPACE);
    const { file, line } = placeOf(test, '');
    outcomes.push({
      test,
      place: [file, line].filter((part) => part !== undefined).join(':'),
      faults: faults.map(({ pointer, message }) => `${pointer.slice(1).replaceAll('/', '.')}: ${message}`),
      decided,
      seconds: (performance.now() - startedMs) / 1_000,
    });
  }
  if (options.junit !== undefined) await writeFile(options.junit, junit(path, outcomes));
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
  const failed = outcomes.filter(({ faults }) => faults.length > 0).length;
  process.stdout.write(`${outcomes.length - failed} passed, ${failed} failed\n`);
  if (outcomes.length === 0) throw new CommandFailure(`\`${path}\` holds no PolicyTest`);
  if (failed > 0) process.exitCode = 1;
}

function junit(path: string, outcomes: readonly Outcome[]): string {
  const failures = outcomes.filter(({ faults }) => faults.length > 0).length;
  const seconds = outcomes.reduce((sum, outcome) => sum + outcome.seconds, 0);
  const cases = outcomes.map(({ test, place, faults, decided, seconds: time }) => {
    const head = `    <testcase name="${xml(test.id)}" classname="${xml(path)}" file="${xml(place)}" time="${time.toFixed(6)}"`;
    if (faults.length === 0) return `${head}/>`;
    const why = [...faults, ...(decided === null ? [] : [`because: ${decided.reason}`])].join('\n');
    return `${head}>\n      <failure message="${xml(faults[0]!)}">${xml(why)}</failure>\n    </testcase>`;
  });
  const counts = `tests="${outcomes.length}" failures="${failures}" errors="0" time="${seconds.toFixed(6)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${xml(path)}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

const XML_ESCAPES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

function xml(text: string): string {
  return text
    .replaceAll(/[&<>"\n]/g, (character) => XML_ESCAPES[character]!)
    .replaceAll(/[^\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '�');
}
