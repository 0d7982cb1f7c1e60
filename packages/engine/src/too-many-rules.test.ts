import { type EvidenceItem, NO_ATTESTATION, type WriteIntent } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { compareDecisions } from '../test/compare-decisions.ts';
import { NOW_MS } from '../test/plain-snapshot.ts';
import { decide } from './decide.ts';
import { compile } from './policy/compile.ts';
import type { ControlDefinition, PolicyDocument, ProfileDocument } from './policy/documents.ts';
import { requirementsOf } from './requirements.ts';

const WRITE: WriteIntent = { system: 'erp', operation: 'x' };
const GOOD = item('k');

function item(controlId: string, result = 'PASS'): EvidenceItem {
  return { controlId, source: 's', result };
}

function pack(controls: { readonly [id: string]: ControlDefinition }): PolicyDocument {
  return { kind: 'ControlPack', id: 'core', controls };
}

/** Each applies to the write because it sends no object type. */
function profiles(count: number, more: Partial<ProfileDocument> = {}, name = 'p'): PolicyDocument[] {
  return Array.from({ length: count }, (_, at) => ({
    kind: 'Profile',
    id: `${name}-${String(at).padStart(4, '0')}`,
    match: { system: 'erp', objectType: `t${at}` },
    require: ['k'],
    ...more,
  }));
}

/** Permits, so that the write is covered in both readings. */
const COVER = profiles(1, { match: { system: 'erp' } }, 'a');

function snapshotOf(documents: readonly PolicyDocument[]) {
  const compiled = compile(documents);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults.slice(0, 3)));
  return compiled.snapshot;
}

/** INVARIANT: every decision of this file is the model's, too. */
function decided(documents: readonly PolicyDocument[], sent: Partial<WriteIntent> = {}) {
  const intent = { ...WRITE, ...sent };
  const snapshot = snapshotOf(documents);
  const facts = (intent.controlEvidence ?? []).map(() => NO_ATTESTATION);
  expect(compareDecisions({ intent, facts, documents, nowMs: NOW_MS }, snapshot).difference).toBeNull();
  return decide(intent, facts, snapshot, NOW_MS);
}

const outcome = ({ decision, evaluatedDecision, reasonCode }: ReturnType<typeof decided>) =>
  `${decision} ${evaluatedDecision} ${reasonCode}`;

describe('more than 100 profiles and workflows', () => {
  test('that apply to one intent pause it, however good its evidence is; 100 do not', () => {
    const evidence = { controlEvidence: [GOOD] };
    expect(outcome(decided([...COVER, ...profiles(99)], evidence))).toBe('allow allow requirements_met');
    expect(outcome(decided([...COVER, ...profiles(100)], evidence))).toBe('pause pause policy_error');
    const flow = [{ kind: 'Workflow', id: 'w', require: ['k'] }] as const;
    const named = { ...evidence, workflowId: 'w' };
    expect(outcome(decided([...COVER, ...profiles(98), ...flow], named))).toBe(
      'allow allow requirements_met',
    );
    expect(outcome(decided([...COVER, ...profiles(99), ...flow], named))).toBe('pause pause policy_error');
  });

  test('are explained once, to the operator', () => {
    const { reason, remediation, review } = decided([...COVER, ...profiles(150)]);
    expect(reason).toBe(
      '151 profiles and workflows apply to this intent, and at most 100 may; an operator must merge some, or match them on a narrower `system` or `operation`.',
    );
    expect(remediation).toEqual([{ gate: 'policy', action: 'operator', need: reason }]);
    expect(review).toBeUndefined();
  });

  test('count for the intent that they apply to, not for another', () => {
    const documents = [...COVER, ...profiles(150)];
    const sent = { objectType: 't7', controlEvidence: [GOOD] };
    expect(outcome(decided(documents, sent))).toBe('allow allow requirements_met');
  });

  test('pause beside a freeze, which speaks first', () => {
    const freezes = [{ id: 'frz_1', reason: 'stop' }] as const;
    const documents = [...COVER, ...profiles(150)];
    const one = { intent: WRITE, facts: [], documents, nowMs: NOW_MS, freezes };
    expect(compareDecisions(one, snapshotOf(documents)).difference).toBeNull();
  });
});

describe('a block still blocks', () => {
  const many = [...COVER, ...profiles(1_900)];
  const last = (more: Partial<ProfileDocument>) => profiles(1, { match: { system: 'erp' }, ...more }, 'z');

  test.each([
    ['a FAIL for a control that every rule requires', many, [item('k', 'FAIL')], 'CONTROL_FAILED'],
    [
      'a FAIL for a control that only the last rule requires',
      [...many, ...last({ require: ['z'] })],
      [GOOD, item('z', 'FAIL')],
      'CONTROL_FAILED',
    ],
    [
      'REVOKED, from the last rule',
      [...many, ...last({ require: ['z'] })],
      [GOOD, item('z', 'REVOKED')],
      'CONTROL_EVIDENCE_REVOKED',
    ],
    [
      'a control of the last rule that blocks without evidence',
      [...many, ...last({ require: ['y', 'z'] }), pack({ z: { onUnmet: 'block' } })],
      [GOOD],
      'CONTROL_EVIDENCE_MISSING',
    ],
    [
      'a control of the last rule that blocks with evidence of another source',
      [...many, ...last({ require: ['z'] }), pack({ z: { onUnmet: 'block', sources: ['other'] } })],
      [GOOD, item('z')],
      'CONTROL_EVIDENCE_UNTRUSTED',
    ],
  ] as const)('%s', (_what, documents, controlEvidence, code) => {
    const { remediation, ...rest } = decided(documents, { controlEvidence });
    expect(outcome({ remediation, ...rest })).toBe(`block block ${code}`);
    expect(remediation!.map(({ gate }) => gate)).toContain('policy');
  });

  test('a mismatch, where the last rule says so', () => {
    const documents = [...many, ...last({ compare: 'number', writePolicy: 'block_on_mismatch' })];
    const values = { agentValue: '1', authorityFound: true, controlEvidence: [GOOD] };
    expect(outcome(decided(documents, { ...values, authorityValue: '2' }))).toBe(
      'block block authority_mismatch',
    );
    expect(outcome(decided(documents, { ...values, authorityValue: '1.0' }))).toBe(
      'pause pause policy_error',
    );
  });

  test('and the first one in required order is the reason, as if all were evaluated', () => {
    const blocking = pack({ y: { onUnmet: 'block' }, z: { onUnmet: 'block' } });
    const documents = [...many, ...last({ require: ['z', 'y'] }), blocking];
    const { requiredControls, reason } = decided(documents, {
      controlEvidence: [GOOD, item('y', 'FAIL')],
    });
    expect(requiredControls).toEqual(['k', 'z', 'y']);
    expect(reason).toBe('Control `z` has no evidence; supply a PASS.');
  });
});

describe('observing rules', () => {
  test('count for the evaluated decision and never for the decision', () => {
    const observing = profiles(60, { writePolicy: 'observe', require: ['watched'] }, 'o');
    const evidence = { controlEvidence: [GOOD] };
    const before = decided([...COVER, ...profiles(50)], evidence);
    const after = decided([...COVER, ...profiles(50), ...observing], evidence);
    expect(outcome(before)).toBe('allow allow requirements_met');
    expect(outcome(after)).toBe('allow pause policy_error');
    expect(after.reason).toContain('111 profiles and workflows apply');
    expect([after.validUntil, after.restsOn]).toEqual([before.validUntil, before.restsOn]);
    expect(after.requirementProvenance).toEqual(before.requirementProvenance);
    expect(outcome(decided([...COVER, ...profiles(100), ...observing], evidence))).toBe(
      'pause pause policy_error',
    );
  });

  test('hide nothing of what the deciding reading needs', () => {
    const observing = profiles(60, { writePolicy: 'observe' }, 'o');
    const { remediation } = decided([...COVER, ...profiles(50), ...observing]);
    expect(remediation!.map(({ gate, action }) => `${gate} ${action}`)).toEqual([
      'policy operator',
      'control supply',
    ]);
  });
});

test('more than 500 requirements pause, and what blocks among them still blocks', () => {
  const documents = (count: number) => [
    ...COVER,
    ...profiles(8).map((one, at) => ({
      ...(one as ProfileDocument),
      require: Array.from(
        { length: Math.max(0, Math.min(64, count - at * 64)) },
        (_, k) => `c${at * 64 + k}`,
      ),
    })),
  ];
  expect(decided(documents(499)).reasonCode).toBe('CONTROL_EVIDENCE_MISSING');
  const { reason, reasonCode, requiredControls } = decided(documents(500), { controlEvidence: [GOOD] });
  expect(reasonCode).toBe('policy_error');
  expect(reason).toBe(
    'The profiles and workflows that apply to this intent require 501 controls, counted for each of them, and at most 500 may be; an operator must make fewer apply, or let them require fewer controls.',
  );
  expect(requiredControls).toEqual(['k']);
  // What the caller requires itself does not count.
  const own = { requiredControls: ['mine', 'c1'] };
  expect(decided(documents(499), own).reasonCode).toBe('CONTROL_EVIDENCE_MISSING');
  const failing = { controlEvidence: [item('c499', 'FAIL')] };
  expect(outcome(decided(documents(500), failing))).toBe('block block CONTROL_FAILED');
});

describe('what one decision costs and weighs', () => {
  /** How often a decision looks at what a profile requires. */
  function looksOf(count: number, decides: typeof decide | typeof requirementsOf): number {
    const snapshot = snapshotOf(profiles(count, { require: ['k', 'l', 'm'] }));
    let looks = 0;
    const matching = snapshot.matchingProfiles(WRITE).map((profile) => ({
      ...profile,
      require: new Proxy(profile.require, {
        get: (list, name) => {
          if (/^\d+$/.test(String(name))) looks += 1;
          return Reflect.get(list, name);
        },
      }),
    }));
    decides(WRITE, [], { ...snapshot, matchingProfiles: () => matching }, NOW_MS);
    return looks;
  }

  test.each([decide, requirementsOf])(
    '%o looks at each requirement of each rule once or twice',
    (decides) => {
      for (const count of [50, 100, 101, 1_900])
        expect(looksOf(count, decides)).toBeLessThanOrEqual(6 * count);
    },
  );

  test('the decision of any number of rules is small', () => {
    const many = profiles(1_900, { version: 'v'.repeat(250), require: ['k', 'l', 'm'] });
    const controlEvidence = ['k', 'l', 'm'].map((id) => item(id, 'pass'));
    expect(JSON.stringify(decided(many, { controlEvidence })).length).toBeLessThan(10_000);
  });
});
