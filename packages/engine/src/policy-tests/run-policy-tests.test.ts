import { expect, test } from 'vitest';
import testKeys from '../../../../conformance/test-keys.json' with { type: 'json' };
import { compile } from '../policy/compile.ts';
import type { PolicyTestDocument } from '../policy/documents.ts';
import { runPolicyTest } from './run-policy-tests.ts';

const { kty, crv, kid, x } = Object.values(testKeys)[0]!;
const SOURCE = { kind: 'EvidenceSource', id: 'desk', keys: { keys: [{ kty, crv, kid, x }] } };
const PROFILE = { kind: 'Profile', id: 'p', match: { system: 'erp' }, require: ['approval'] };

async function run(approval: object, item: object, more: readonly object[] = [SOURCE]) {
  const policyTest = {
    kind: 'PolicyTest',
    id: 't',
    intent: {
      system: 'erp',
      objectType: 'vendor',
      objectRef: 'V-1',
      field: 'iban',
      agentValue: 'X',
      controlEvidence: [{ controlId: 'approval', source: 'desk', result: 'PASS', ...item }],
    },
    now: '2026-11-15T12:00:00Z',
    expect: { decision: 'allow' },
  } as const;
  const compiled = compile([
    { kind: 'ControlPack', id: 'core', controls: { approval } },
    PROFILE,
    ...more,
    policyTest,
  ]);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  const { faults, decided } = await runPolicyTest(
    policyTest satisfies PolicyTestDocument,
    compiled.snapshot,
    'ws_1',
  );
  return { code: decided?.controlEvaluations[0]?.code, faults };
}

const ATTESTED = { assurance: 'attested' };
const signed = { attestation: 'test:signed' };

test.each<[string, object, object, string]>([
  ['a signed item is good', ATTESTED, signed, 'CONTROL_SATISFIED'],
  ['an unsigned one is not', ATTESTED, {}, 'CONTROL_EVIDENCE_UNTRUSTED'],
  ['a forged one is not', ATTESTED, { attestation: 'test:forged' }, 'CONTROL_EVIDENCE_UNTRUSTED'],
  [
    'a used one is not where it serves once',
    { ...ATTESTED, use: 'once' },
    { attestation: 'test:used' },
    'CONTROL_EVIDENCE_UNTRUSTED',
  ],
  ['a revoked one is not', ATTESTED, { attestation: 'test:revoked' }, 'CONTROL_EVIDENCE_REVOKED'],
  [
    'one for the object is not',
    ATTESTED,
    { attestation: 'test:signed-for-object' },
    'CONTROL_EVIDENCE_UNTRUSTED',
  ],
  [
    'one for the object is where the control says so',
    { ...ATTESTED, bind: 'object' },
    { attestation: 'test:signed-for-object' },
    'CONTROL_SATISFIED',
  ],
  [
    'one that never expires is not',
    ATTESTED,
    { attestation: 'test:never-expires' },
    'CONTROL_EVIDENCE_UNTRUSTED',
  ],
  [
    'one that never expires is under a max age',
    { ...ATTESTED, maxAge: '1h' },
    { attestation: 'test:never-expires' },
    'CONTROL_SATISFIED',
  ],
  [
    'an old one is stale',
    { ...ATTESTED, maxAge: '1h' },
    { ...signed, checkedAt: '2026-11-15T10:00:00Z' },
    'CONTROL_EVIDENCE_STALE',
  ],
  [
    'one that expired is expired',
    ATTESTED,
    { ...signed, expiresAt: '2026-11-15T11:00:00Z' },
    'CONTROL_EVIDENCE_EXPIRED',
  ],
  ['another source has not signed', ATTESTED, { ...signed, source: 'other' }, 'CONTROL_EVIDENCE_UNTRUSTED'],
])('in a test, %s', async (_name, control, item, code) => {
  expect((await run(control, item)).code).toBe(code);
});

test('an approval by a person counts if the control accepts approvals', async () => {
  const approved = { ...signed, source: 'review-desk' };
  const reviewable = { ...ATTESTED, review: true };
  expect((await run(reviewable, approved, [])).code).toBe('CONTROL_SATISFIED');
  expect((await run(reviewable, { source: 'review-desk' }, [])).code).toBe('CONTROL_EVIDENCE_UNTRUSTED');
  expect((await run(reviewable, { ...approved, attestation: 'test:used' }, [])).code).toBe(
    'CONTROL_EVIDENCE_UNTRUSTED',
  );
  expect((await run(ATTESTED, approved)).code).toBe('CONTROL_EVIDENCE_UNTRUSTED');
});

test('a source without keys signs nothing', async () => {
  expect((await run(ATTESTED, signed, [])).code).toBe('CONTROL_EVIDENCE_UNTRUSTED');
});

test('an unknown word fails the test', async () => {
  const { faults } = await run(ATTESTED, { attestation: 'test:singed' });
  expect(faults[0]).toMatchObject({ pointer: '/intent/controlEvidence/0/attestation' });
});
