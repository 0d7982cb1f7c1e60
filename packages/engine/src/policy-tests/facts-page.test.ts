import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compile } from '../policy/compile.ts';
import { lintBundle } from '../policy-lint/lint-bundle.ts';
import { parsePolicyYaml } from '../policy-yaml/parse-policy-yaml.ts';
import { runPolicyTests } from './run-policy-tests.ts';

test('the rules of the facts page decide as their tests say, and give no warning', async () => {
  const page = readFileSync(new URL('../../../../docs/facts.md', import.meta.url), 'utf8');
  const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => text!);
  const parsed = parsePolicyYaml(blocks.join('---\n'));
  if (parsed.kind !== 'documents') throw new Error(JSON.stringify(parsed));
  const compiled = compile(parsed.documents);
  if (compiled.kind !== 'snapshot') throw new Error(JSON.stringify(compiled.faults));
  expect(compiled.documents.filter(({ kind }) => kind === 'PolicyTest').length).toBeGreaterThanOrEqual(15);
  expect(await runPolicyTests(compiled.documents, compiled.snapshot, 'ws_1')).toEqual([]);
  expect(lintBundle(compiled.documents)).toEqual([]);
});
