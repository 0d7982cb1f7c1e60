import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { loadCases } from '../../../../conformance/case.ts';
import { policyTest } from '../../../cli/src/policy/run-tests.ts';
import { temporaryFolder } from '../spawn-service.ts';

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

interface Stated {
  readonly decision: string;
  readonly reason_code: string;
  readonly control_evaluations: readonly { readonly controlId: string; readonly code: string }[];
}

// Attestations are signed for one workspace, and a test of a bundle has none.
const cases = loadCases().filter(
  ({ attestations, reviews, freezes }) => [...attestations, ...reviews, ...freezes].length === 0,
);
const folder = temporaryFolder();

test.each(cases.map((one) => [one.name, one] as const))('as a test of its bundle: %s', async (name, one) => {
  const { decision, reason_code, control_evaluations } = one.expect as Stated;
  const codes = Object.fromEntries(control_evaluations.map(({ controlId, code }) => [controlId, code]));
  const policy = {
    kind: 'PolicyTest',
    id: name,
    intent: one.intent,
    now: one.now,
    expect: { decision, reason_code, codes },
  };
  const path = join(folder, `${name}.yaml`);
  writeFileSync(path, [...one.policy, policy].map((document) => stringify(document)).join('---\n'));
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await policyTest(path);
  expect(written.mock.calls.map(([text]) => text).join('')).toContain('1 passed, 0 failed');
  expect(process.exitCode).toBeUndefined();
});
