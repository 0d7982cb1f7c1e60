import { describe, expect, test } from 'vitest';
import { NOW_MS, verified } from '../test/plain-snapshot.ts';
import { EMPTY_SNAPSHOT } from './policy/build-snapshot.ts';
import { compile } from './policy/compile.ts';
import { requirementsOf } from './requirements.ts';

const PACK = {
  kind: 'ControlPack',
  id: 'core',
  controls: {
    identity: { maxAge: '15m', sources: ['okta'] },
    approval: {
      assurance: 'attested',
      use: 'once',
      sources: ['desk'],
      review: { groups: ['risk', 'finance'], approvals: 2, holdsFor: '2d' },
    },
    confirmation: { assurance: 'attested', review: true },
  },
};
const PROFILE = {
  kind: 'Profile',
  id: 'vendor',
  version: '1',
  match: { system: 'erp' },
  require: ['identity', 'approval'],
  authority: { sources: ['master'], attestedBy: 'identity', confirmedBy: 'confirmation' },
};
const WATCHER = { kind: 'Profile', id: 'watch', require: ['dual'], writePolicy: 'observe' };

function snapshotOf(...documents: readonly unknown[]) {
  const compiled = compile(documents);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return compiled.snapshot;
}

describe('requirements', () => {
  const intent = { system: 'erp', agentValue: 'X', requiredControls: ['identity'] };

  test('name every control with its conditions, its sources and its status', () => {
    const { requirements } = requirementsOf(intent, [], snapshotOf(PACK, PROFILE, WATCHER), NOW_MS);
    expect(requirements).toEqual([
      {
        controlId: 'identity',
        acceptedSources: ['okta'],
        maxAgeSeconds: 900,
        assurance: 'asserted',
        use: null,
        review: null,
        requiredBy: ['request', 'profile:vendor@1'],
        mode: 'enforce',
        status: 'missing',
      },
      {
        controlId: 'approval',
        acceptedSources: ['desk', 'review-desk'],
        maxAgeSeconds: null,
        assurance: 'attested',
        use: 'once',
        review: {
          groups: ['finance', 'risk'],
          approvals: 2,
          identity: 'person',
          expiresIn: '24h',
          holdsFor: '2d',
          selfReview: false,
        },
        requiredBy: ['profile:vendor@1'],
        mode: 'enforce',
        status: 'missing',
      },
      {
        controlId: 'dual',
        acceptedSources: null,
        maxAgeSeconds: null,
        assurance: 'asserted',
        use: null,
        review: null,
        requiredBy: ['profile:watch'],
        mode: 'observe',
        status: 'missing',
      },
    ]);
  });

  test('show what authority must be like, the decision, and the remedy', () => {
    const { authority, evaluated, remediation, ...rest } = requirementsOf(
      intent,
      [],
      snapshotOf(PACK, PROFILE),
      NOW_MS,
    );
    expect(Object.keys(rest)).toEqual(['requirements', 'facts', 'limits']);
    expect(authority).toEqual({
      applies: true,
      acceptedSources: ['master'],
      attestedBy: 'identity',
      confirmedBy: 'confirmation',
      status: 'authority_unverified',
    });
    expect(evaluated).toEqual({ decision: 'pause', reason_code: 'authority_unverified' });
    expect(remediation.map(({ gate, controlId, action }) => [gate, controlId, action])).toEqual([
      ['authority', 'confirmation', 'supply'],
      ['control', 'identity', 'supply'],
      ['control', 'approval', 'supply'],
    ]);
  });

  test('are nothing if only an approval is needed', () => {
    const item = { controlId: 'approval', source: 'review-desk', result: 'PASS' };
    const approved = { system: 'erp', requiredControls: ['approval'], controlEvidence: [item] };
    const facts = [verified({ jti: 'rev_1:approval' })];
    expect(requirementsOf(approved, facts, EMPTY_SNAPSHOT, NOW_MS)).toMatchObject({
      requirements: [{ acceptedSources: null, review: { identity: 'any' }, status: 'satisfied' }],
      authority: { applies: false, acceptedSources: null, attestedBy: null, confirmedBy: null, status: null },
      evaluated: { decision: 'allow', reason_code: 'requirements_met' },
      remediation: [],
    });
  });

  test('shows as evaluated what an observing policy would decide', () => {
    const { evaluated } = requirementsOf(
      { system: 'crm', authorityFound: true, agentValue: 'a', authorityValue: 'a' },
      [],
      snapshotOf(WATCHER),
      NOW_MS,
    );
    expect(evaluated).toEqual({ decision: 'pause', reason_code: 'CONTROL_EVIDENCE_MISSING' });
  });
});
