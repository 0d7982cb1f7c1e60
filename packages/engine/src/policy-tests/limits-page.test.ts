import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ED25519_JWK } from '../../test/keys.ts';
import { compile } from '../policy/compile.ts';
import { lintBundle } from '../policy-lint/lint-bundle.ts';
import { parsePolicyYaml } from '../policy-yaml/parse-policy-yaml.ts';
import { runPolicyTests } from './run-policy-tests.ts';

/** The documents that the limits of the page need. */
const AROUND = [
  {
    kind: 'ControlPack',
    id: 'orders',
    controls: {
      order: {
        facts: true,
        maxAge: '1m',
        sources: ['order-system'],
        assurance: 'attested',
        bind: 'object',
      },
      approval: { sources: ['review-desk'], assurance: 'attested', review: true },
    },
  },
  { kind: 'EvidenceSource', id: 'order-system', keys: { keys: [ED25519_JWK] } },
  { kind: 'Profile', id: 'refunds', match: { system: 'payments', operation: 'refund.*' }, permit: true },
];

test('the limits of the limits page decide as its test says, and give no warning', async () => {
  const page = readFileSync(new URL('../../../../docs/limits.md', import.meta.url), 'utf8');
  const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => text!);
  const parsed = parsePolicyYaml(blocks.join('---\n'));
  if (parsed.kind !== 'documents') throw new Error(JSON.stringify(parsed));
  const compiled = compile([...parsed.documents, ...AROUND]);
  if (compiled.kind !== 'snapshot') throw new Error(JSON.stringify(compiled.faults));
  expect(compiled.documents.filter(({ kind }) => kind === 'PolicyTest')).toHaveLength(1);
  expect(await runPolicyTests(compiled.documents, compiled.snapshot, 'ws_1')).toEqual([]);
  expect(lintBundle(compiled.documents)).toEqual([]);
});
