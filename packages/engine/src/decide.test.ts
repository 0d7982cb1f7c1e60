import { type AttestationChecks, MINUTE_MS, NO_ATTESTATION } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import {
  control,
  intentOf,
  item,
  NOW_MS,
  type Parts,
  profile,
  required,
  type Sent,
  snapshot,
  verified,
  workflow,
} from '../test/plain-snapshot.ts';
import { decide } from './decide.ts';
import type { Profile } from './policy/snapshot.ts';

const FOUND = {
  agentValue: 'a',
  authorityValue: 'a',
  authoritySource: 'master',
  authorityFound: true,
} as const;
const MISMATCH = { ...FOUND, agentValue: 'b' } as const;
const OBSERVE = { writePolicy: 'observe', observeUntilMs: null } as const;
const BLOCK = { writePolicy: 'block_on_mismatch', observeUntilMs: null } as const;

function decided(intent: Sent, parts: Parts = {}, facts?: readonly AttestationChecks[]) {
  const known = facts ?? (intent.controlEvidence ?? []).map(() => NO_ATTESTATION);
  return decide(intentOf(intent), known, snapshot(parts), NOW_MS);
}

describe('a decision', () => {
  test('without an objection allows, and is complete', () => {
    expect(decided(FOUND)).toEqual({
      decision: 'allow',
      evaluatedDecision: 'allow',
      reason: 'The authority was found and holds the proposed value.',
      reasonCode: 'requirements_met',
      requiredControls: [],
      controlEvaluations: [],
      profileProvenance: { source: 'default' },
      requirementProvenance: [],
      writePolicy: 'enforce',
      observeMode: false,
      enforced: true,
      warn: false,
      failClosed: true,
      validUntil: NOW_MS + 5 * MINUTE_MS,
      remediation: undefined,
      warnings: [],
      consumes: [],
      restsOn: [],
    });
  });

  test('is the strictest objection, and its reason is the first objection of that strictness', () => {
    const pausing = decided({ requiredControls: ['x', 'y'] });
    expect(pausing).toMatchObject({ decision: 'pause', reasonCode: 'CONTROL_EVIDENCE_MISSING' });
    expect(pausing.reason).toBe('Control `x` has no evidence; supply a PASS.');
    const blocking = decided({
      requiredControls: ['x', 'y', 'z'],
      controlEvidence: [item('y', { result: 'FAIL' }), item('z', { result: 'REVOKED' })],
    });
    expect(blocking).toMatchObject({ decision: 'block', reasonCode: 'CONTROL_FAILED' });
    expect(blocking.reason).toMatch(/^Control `y` failed/);
  });

  test('that is not an allow has no end and uses nothing up', () => {
    const { validUntil, consumes } = decided({
      requiredControls: ['x', 'y'],
      controlEvidence: [item('x')],
    });
    expect([validUntil, consumes]).toEqual([undefined, []]);
  });
});

describe('gates come in their order', () => {
  const everything: Sent = { ...MISMATCH, workflowId: 'w9', requiredControls: ['x'] };
  const erring = profile('p', { when: () => 'error' });

  test('a failed condition before all others', () => {
    const { reasonCode, reason } = decided(everything, { profiles: [erring], workflows: [workflow('w')] });
    expect(reasonCode).toBe('policy_error');
    expect(reason).toMatch(/^The condition of profile `p` could not be evaluated/);
  });

  test('then an uncovered intent, the workflow, the authority, the controls', () => {
    const workflows = [workflow('w')];
    expect(decided(everything, { workflows, unmatchedPauses: () => true })).toMatchObject({
      reasonCode: 'policy_unmatched',
      reason:
        'No enforced profile covers this intent, and the workspace pauses what its profiles do not cover; an operator can add a profile for it.',
    });
    expect(decided(everything, { workflows })).toMatchObject({
      reasonCode: 'workflow_unknown',
      reason:
        'Workflow `w9` is not registered in this workspace; name a registered workflow, or have an operator register this one.',
    });
    const { workflowId: _, ...known } = everything;
    expect(decided(known, { workflows })).toMatchObject({
      decision: 'pause',
      reasonCode: 'authority_mismatch',
      reason:
        "The proposed value `b` differs from `a`, which `master` holds; write the authority's value, or have the authority corrected first.",
    });
    expect(decided({ ...FOUND, requiredControls: ['x'] })).toMatchObject({
      reasonCode: 'CONTROL_EVIDENCE_MISSING',
    });
  });
});

describe('an intent that no policy covers', () => {
  test('pauses only if the workspace says so and nothing applies', () => {
    expect(decided(FOUND, { unmatchedPauses: () => true }).decision).toBe('pause');
    expect(decided(FOUND).decision).toBe('allow');
    expect(decided(FOUND, { unmatchedPauses: () => true, profiles: [profile('p')] }).decision).toBe('allow');
  });

  test('is not covered by naming a registered workflow, whichever profiles that names', () => {
    const workflows = [workflow('w', { profiles: [profile('p', { require: [] })] })];
    const parts = { unmatchedPauses: () => true, workflows };
    expect(decided({ ...FOUND, workflowId: 'w' }, parts).reasonCode).toBe('policy_unmatched');
  });

  test('is only observed under an observing default', () => {
    expect(decided(FOUND, { unmatchedPauses: () => true, defaultMode: OBSERVE })).toMatchObject({
      decision: 'allow',
      evaluatedDecision: 'pause',
      warn: true,
      enforced: false,
      failClosed: false,
    });
  });
});

describe('an unregistered workflow', () => {
  const label = 'workflow `w9` is not registered and counts as a label only';

  test('is a label if the caller names controls and the workspace has no workflow', () => {
    const intent = { workflowId: 'w9', requiredControls: ['x'], controlEvidence: [item('x')] };
    expect(decided(intent)).toMatchObject({ decision: 'allow', warnings: [label] });
  });

  test.each([
    [
      'the workspace has workflows',
      { requiredControls: ['x'], controlEvidence: [item('x')] },
      [workflow('w')],
    ],
    ['no controls are named', {}, []],
    ['an empty list of controls is named', { requiredControls: [] }, []],
  ])('pauses if %s, even if everything observes', (_, more, workflows) => {
    const intent = { ...FOUND, workflowId: 'w9', ...more };
    expect(decided(intent, { workflows, defaultMode: OBSERVE })).toMatchObject({
      decision: 'pause',
      reasonCode: 'workflow_unknown',
      enforced: true,
      failClosed: true,
      warnings: [],
    });
  });

  test('means nothing if none is named', () => {
    expect(decided({ requiredControls: ['x'], controlEvidence: [item('x')] }).warnings).toEqual([]);
  });
});

describe('the authority', () => {
  test('that holds another value blocks only if the mode says so', () => {
    expect(decided(MISMATCH, { defaultMode: BLOCK })).toMatchObject({
      decision: 'block',
      reasonCode: 'authority_mismatch',
    });
    expect(decided(MISMATCH).decision).toBe('pause');
  });

  test('that is not confirmed pauses, whatever the mode', () => {
    expect(decided({ ...FOUND, authorityFound: false }, { defaultMode: BLOCK })).toMatchObject({
      decision: 'pause',
      reasonCode: 'authority_unverified',
    });
  });
});

describe('a policy that only observes', () => {
  test('allows, warns, and shows what enforcing would do', () => {
    expect(decided(MISMATCH, { defaultMode: OBSERVE })).toMatchObject({
      decision: 'allow',
      evaluatedDecision: 'pause',
      reasonCode: 'authority_mismatch',
      reason:
        "Allowed because the policies that object only observe; enforced, they would pause: The proposed value `b` differs from `a`, which `master` holds; write the authority's value, or have the authority corrected first.",
      enforced: false,
      warn: true,
      failClosed: false,
    });
  });

  test('never takes the reason from an enforced policy', () => {
    const profiles = [profile('p', { require: required('o'), mode: OBSERVE })];
    const intent = {
      requiredControls: ['x'],
      controlEvidence: [item('o', { result: 'FAIL' })],
    };
    expect(decided(intent, { profiles })).toMatchObject({
      decision: 'pause',
      evaluatedDecision: 'block',
      reasonCode: 'CONTROL_EVIDENCE_MISSING',
      warn: true,
      enforced: true,
      observeMode: true,
    });
  });

  test('is a condition that fails in an observing profile, and in no other', () => {
    const erring = (mode: typeof OBSERVE | typeof BLOCK) => ({
      profiles: [profile('p', { mode, when: () => 'error' })],
    });
    expect(decided(FOUND, erring(OBSERVE))).toMatchObject({ decision: 'allow', evaluatedDecision: 'pause' });
    expect(decided(FOUND, erring(BLOCK)).decision).toBe('pause');
  });
});

describe('a profile that only watches', () => {
  const watching = (more: Partial<Profile> = {}): Parts => ({
    profiles: [profile('p', { mode: OBSERVE, ...more })],
  });

  test('does not remove the need for authority, even if it would be the first requirement', () => {
    const parts = watching({ require: required('o') });
    expect(decided({ controlEvidence: [item('o')] }, parts)).toMatchObject({
      decision: 'pause',
      evaluatedDecision: 'allow',
      reasonCode: 'authority_unverified',
      warn: true,
      enforced: true,
      observeMode: true,
    });
  });

  test('does not cover an unmatched intent', () => {
    const parts = { ...watching(), unmatchedPauses: () => true };
    expect(decided(FOUND, parts)).toMatchObject({
      decision: 'pause',
      evaluatedDecision: 'allow',
      reasonCode: 'policy_unmatched',
    });
  });

  test('does not make different values equal', () => {
    const sent = { ...FOUND, agentValue: 'A' };
    expect(decided(sent, watching({ compare: 'caseless' }))).toMatchObject({
      decision: 'pause',
      evaluatedDecision: 'allow',
      reasonCode: 'authority_mismatch',
    });
  });

  test('uses up no attestation, and depends on none', () => {
    const approval = control('o', { assurance: 'attested', useOnce: true });
    const sent = { ...FOUND, controlEvidence: [item('o', { attestation: 'jws' })] };
    const found = decided(sent, watching({ require: required(approval) }), [verified()]);
    expect(found).toMatchObject({ decision: 'allow', evaluatedDecision: 'allow', consumes: [], restsOn: [] });
    const enforced = decided(sent, { profiles: [profile('p', { require: required(approval) })] }, [
      verified(),
    ]);
    expect(enforced.consumes).toEqual([{ source: 'okta', jti: 'j1' }]);
  });

  test('leaves the reason to the first control of those that decide', () => {
    const parts = {
      profiles: [
        profile('a', { mode: OBSERVE, require: required('y') }),
        profile('b', { require: required('x', 'y') }),
      ],
    };
    expect(decided({}, parts).reason).toMatch(/^Control `x`/);
  });

  test('differs from an observing default that lets the write through', () => {
    const parts = { ...watching({ require: required('o') }), defaultMode: OBSERVE };
    expect(decided({ controlEvidence: [item('o')] }, parts)).toMatchObject({
      decision: 'allow',
      evaluatedDecision: 'allow',
      reasonCode: 'requirements_met',
      reason:
        "Allowed because the workspace's default mode is observe; the policies that apply do not object.",
    });
  });
});

describe('an observing default', () => {
  test('lets through an unmatched intent even if the request names controls', () => {
    const parts = { defaultMode: OBSERVE, unmatchedPauses: () => true };
    const sent = { requiredControls: ['x'], controlEvidence: [item('x')] };
    expect(decided(sent, parts)).toMatchObject({
      decision: 'allow',
      evaluatedDecision: 'pause',
      reasonCode: 'policy_unmatched',
      writePolicy: 'enforce',
      observeMode: true,
    });
  });
});

describe('an allow ends', () => {
  const used = (...ends: readonly string[]) =>
    decided({
      requiredControls: ends.map((_, at) => `c${at}`),
      controlEvidence: ends.map((expiresAt, at) => item(`c${at}`, { expiresAt })),
    }).validUntil;

  test('after five minutes, or with the evidence that ends first', () => {
    expect(used('2026-11-15T12:05:00.001Z')).toBe(NOW_MS + 5 * MINUTE_MS);
    expect(used('2026-11-15T12:04:59.999Z')).toBe(NOW_MS + 5 * MINUTE_MS - 1);
    expect(used('2026-11-15T12:03:00Z', '2026-11-15T12:01:00Z', '2026-11-15T12:02:00Z')).toBe(
      NOW_MS + MINUTE_MS,
    );
  });

  test('when something that applies stops observing, whatever its result would be', () => {
    const observing = (ms: number): Parts => ({
      profiles: [profile('p', { mode: { writePolicy: 'observe', observeUntilMs: NOW_MS + ms } })],
    });
    expect(decided(FOUND, observing(7)).validUntil).toBe(NOW_MS + 7);
    expect(decided(FOUND, observing(6 * MINUTE_MS)).validUntil).toBe(NOW_MS + 5 * MINUTE_MS);
    const defaultMode = { writePolicy: 'observe', observeUntilMs: NOW_MS + 8 } as const;
    expect(decided(MISMATCH, { defaultMode })).toMatchObject({ decision: 'allow', validUntil: NOW_MS + 8 });
    expect(decided(FOUND, { defaultMode, profiles: [profile('p')] }).validUntil).toBe(NOW_MS + 5 * MINUTE_MS);
  });

  test('with the evidence it uses, not with evidence that is only observed', () => {
    const watched = profile('p', { mode: OBSERVE, require: required('o') });
    const intent = {
      ...FOUND,
      controlEvidence: [item('o', { expiresAt: '2026-11-15T12:01:00Z' })],
    };
    expect(decided(intent, { profiles: [watched] })).toMatchObject({
      decision: 'allow',
      evaluatedDecision: 'allow',
      validUntil: NOW_MS + 5 * MINUTE_MS,
    });
  });

  test('with the evidence that attests its authority', () => {
    const profiles = [profile('p', { attestedBy: control('auth') })];
    const intent = { ...FOUND, controlEvidence: [item('auth', { attestation: 'jws' })] };
    const facts = [verified({ expiresAtMs: NOW_MS + 9 })];
    expect(decided(intent, { profiles }, facts)).toMatchObject({
      decision: 'allow',
      validUntil: NOW_MS + 9,
      restsOn: [{ source: 'okta', jti: 'j1' }],
    });
  });
});

describe('attestations', () => {
  const ids = ['c0', 'c1', 'c2', 'c3', 'c4'];
  const once = ids.map((id) => control(id, { useOnce: true }));
  const sources = ['sap', 'okta', 'okta', 'okta', 'okta'];
  const jtis = ['a', 'b', 'a', 'b', 'c'];
  const intent = {
    requiredControls: ids,
    controlEvidence: ids.map((id, at) => item(id, { source: sources[at]!, attestation: 'jws' })),
  };
  const facts = jtis.map((jti) => verified({ jti }));
  const SORTED = [
    { source: 'okta', jti: 'a' },
    { source: 'okta', jti: 'b' },
    { source: 'okta', jti: 'c' },
    { source: 'sap', jti: 'a' },
  ];

  test('are listed once each, by source and then by id', () => {
    expect(decided(intent, { controls: once }, facts)).toMatchObject({ consumes: SORTED, restsOn: SORTED });
  });

  test('are consumed only by a control that may use them once, and only on an allow', () => {
    const controls = [control('c0'), control('c1', { useOnce: true })];
    expect(decided(intent, { controls }, facts)).toMatchObject({
      consumes: [{ source: 'okta', jti: 'b' }],
      restsOn: SORTED,
    });
    const paused = { ...intent, requiredControls: [...ids, 'missing'] };
    expect(decided(paused, { controls }, facts)).toMatchObject({ consumes: [], restsOn: SORTED });
  });

  test('are rested on only if they satisfy a control', () => {
    const failing = {
      ...intent,
      controlEvidence: intent.controlEvidence.map((one) => ({ ...one, result: 'FAIL' })),
    };
    expect(decided(failing, {}, facts).restsOn).toEqual([]);
    const unsigned = { requiredControls: ['x'], controlEvidence: [item('x')] };
    expect(decided(unsigned).restsOn).toEqual([]);
  });
});

describe('provenance', () => {
  test('names the workflow, the match, the request or the default', () => {
    const parts = { workflows: [workflow('w')], profiles: [profile('p')] };
    const sourceOf = (intent: Sent, more: Parts = {}) => decided(intent, more).profileProvenance.source;
    expect(sourceOf({ ...FOUND, workflowId: 'w', requiredControls: ['x'] }, parts)).toBe('workflow');
    expect(sourceOf({ ...FOUND, requiredControls: ['x'] }, parts)).toBe('match');
    expect(sourceOf({ ...FOUND, requiredControls: ['x'] })).toBe('request');
    expect(sourceOf({ ...FOUND, requiredControls: [] })).toBe('default');
    expect(sourceOf(FOUND)).toBe('default');
  });

  test('names the most specific profile (of equals the first by id) and the digest of the policies', () => {
    const profiles = [
      profile('a', { specificity: 1 }),
      profile('b', { specificity: 2, version: '7', controlPackId: 'core' }),
      profile('c', { specificity: 2 }),
    ];
    expect(decided(FOUND, { profiles, digest: 'sha256:00' }).profileProvenance).toEqual({
      profileId: 'b',
      profileVersion: '7',
      controlPackId: 'core',
      policyRef: 'sha256:00',
      source: 'match',
    });
    expect(decided(FOUND, { profiles: [profile('a')] }).profileProvenance).toEqual({
      profileId: 'a',
      profileVersion: undefined,
      controlPackId: undefined,
      policyRef: undefined,
      source: 'match',
    });
  });

  test('of a requirement names its sources, and its promotion if it has one', () => {
    const promotedFrom = { source: 'diagnose' };
    const profiles = [profile('p', { require: [{ control: control('y'), promotedFrom }] })];
    const { requirementProvenance, requiredControls } = decided({ requiredControls: ['x'] }, { profiles });
    expect(requiredControls).toEqual(['x', 'y']);
    expect(requirementProvenance).toStrictEqual([
      { controlId: 'x', sources: ['request'] },
      { controlId: 'y', sources: ['profile:p'], diagnosePromotion: promotedFrom },
    ]);
  });
});

describe('evidence that is not considered', () => {
  const told = (id: string, result: string) =>
    `evidence for \`${id}\` with result \`${result}\` is not considered, because that control is not required`;
  const warnings = (
    items: Sent['controlEvidence'],
    facts?: readonly AttestationChecks[],
    parts: Parts = {},
  ) => decided({ ...FOUND, requiredControls: ['x'], controlEvidence: items! }, parts, facts).warnings;

  test('is reported if it is negative, once each, in order', () => {
    expect(
      warnings([
        item('z', { result: 'FAIL' }),
        item('b', { result: 'REVOKED' }),
        item('z', { result: 'FAIL', source: 'sap' }),
        item('a', { result: 'pass' }),
      ]),
    ).toEqual([told('a', 'pass'), told('b', 'REVOKED'), told('z', 'FAIL')]);
  });

  test('is reported if its attestation was revoked', () => {
    const signed = [item('z', { attestation: 'jws' })];
    expect(warnings(signed, [verified({ revoked: true })])).toEqual([told('z', 'PASS')]);
    expect(warnings(signed, [verified()])).toEqual([]);
    expect(warnings(signed, [{ kind: 'rejected', why: 'forged' }])).toEqual([]);
    expect(warnings(signed, [])).toEqual([]);
  });

  test('is not reported if it is a PASS, or if a control or the authority requires it', () => {
    expect(warnings([item('z')])).toEqual([]);
    expect(warnings([item('x', { result: 'FAIL' })])).toEqual([]);
    const profiles = [profile('p', { attestedBy: control('auth') })];
    expect(warnings([item('auth', { result: 'FAIL' })], undefined, { profiles })).toEqual([]);
    expect(warnings([item('auth', { result: 'FAIL' })])).toEqual([told('auth', 'FAIL')]);
  });

  test('is reported after the warnings about authority', () => {
    const intent = {
      authorityFound: true,
      requiredControls: ['x'],
      controlEvidence: [item('x'), item('z', { result: 'FAIL' })],
    };
    expect(decided(intent)).toMatchObject({
      reason: 'The required control is satisfied, and the authority was found.',
      warnings: [
        'no `agentValue` was sent, so the values were not compared',
        'no `authorityValue` was sent, so the values were not compared',
        told('z', 'FAIL'),
      ],
    });
  });
});
