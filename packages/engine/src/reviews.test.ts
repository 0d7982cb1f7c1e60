/** Tests how an approval of the review desk counts in a decision. */
import {
  type AttestationChecks,
  type EvidenceItem,
  NO_ATTESTATION,
  type WriteIntent,
} from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { NOW_MS, verified } from '../test/plain-snapshot.ts';
import { decide } from './decide.ts';
import { needsReviewFacts } from './evidence/review-facts.ts';
import { needsVerification, verifyAttestations } from './evidence/verify-attestations.ts';
import { EMPTY_SNAPSHOT } from './policy/build-snapshot.ts';
import { compile } from './policy/compile.ts';

const REVIEWABLE = { assurance: 'attested', review: true };
function approval(more: Partial<EvidenceItem> = {}): EvidenceItem {
  return {
    controlId: 'approval',
    source: 'review-desk',
    result: 'PASS',
    ...more,
  };
}
const GOOD = verified({ jti: 'rev_1:approval', approval: { by: ['per_1'], confirmsAuthority: true } });

function snapshotOf(control: object, ...more: readonly object[]) {
  const compiled = compile([{ kind: 'ControlPack', id: 'core', controls: { approval: control } }, ...more]);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return compiled.snapshot;
}

function ask(control: object, facts: readonly AttestationChecks[], items = [approval()]) {
  const intent: WriteIntent = { system: 'erp', requiredControls: ['approval'], controlEvidence: items };
  return decide(intent, facts, snapshotOf(control), NOW_MS);
}

describe('an approval', () => {
  test('satisfies a reviewable control, whatever sources it lists, and is used up', () => {
    const decided = ask({ ...REVIEWABLE, sources: ['okta'] }, [GOOD]);
    expect(decided.decision).toBe('allow');
    expect(decided.consumes).toEqual([{ source: 'review-desk', jti: 'rev_1:approval' }]);
    expect(decided.restsOn).toEqual(decided.consumes);
  });

  test.each<[string, object, readonly AttestationChecks[], EvidenceItem, string]>([
    ['without facts', REVIEWABLE, [], approval(), 'no approved review stands behind it'],
    ['with none', REVIEWABLE, [NO_ATTESTATION], approval(), 'no approved review stands behind it'],
    [
      'that carries an attestation nobody looked at',
      REVIEWABLE,
      [NO_ATTESTATION],
      approval({ attestation: 'a.b.c' }),
      'no approved review stands behind it',
    ],
    [
      'that was rejected',
      REVIEWABLE,
      [{ kind: 'rejected', why: 'the review is open' }],
      approval(),
      'the review is open',
    ],
    ['that was used', REVIEWABLE, [{ ...GOOD, usedUp: true }], approval(), 'its approval was used before'],
    ['of another write', REVIEWABLE, [{ ...GOOD, boundToDigest: false }], approval(), 'of another write'],
    ['of a control without review', {}, [GOOD], approval(), 'does not let a person approve'],
    ['without facts, of a control without review', {}, [], approval(), 'does not let a person approve'],
  ])('%s is untrusted', (_name, control, facts, item, why) => {
    const decided = ask(control, facts, [item]);
    expect(decided.controlEvaluations[0]!.status).toBe('untrusted');
    expect(decided.reason).toContain(why);
  });

  test('needs facts even in a workspace without a bundle', () => {
    const intent = { system: 'erp', requiredControls: ['approval'], controlEvidence: [approval()] };
    expect(decide(intent, [], EMPTY_SNAPSHOT, NOW_MS)).toMatchObject({
      decision: 'pause',
      reasonCode: 'CONTROL_EVIDENCE_UNTRUSTED',
      review: { controls: ['approval'] },
    });
    expect(decide(intent, [GOOD], EMPTY_SNAPSHOT, NOW_MS).decision).toBe('allow');
  });

  test('goes stale by the max age of its control and shortens the allow', () => {
    const aged = { ...GOOD, checkedAtMs: NOW_MS - 61_000 };
    expect(ask({ ...REVIEWABLE, maxAge: '60s' }, [aged]).reasonCode).toBe('CONTROL_EVIDENCE_STALE');
    expect(ask({ ...REVIEWABLE, maxAge: '62s' }, [aged]).validUntil).toBe(NOW_MS + 1_000);
  });

  test('is looked up by the service, never verified as a signature', async () => {
    const snapshot = snapshotOf(REVIEWABLE);
    const intent = {
      system: 'erp',
      requiredControls: ['approval'],
      controlEvidence: [approval({ attestation: 'a.b.c' })],
    };
    expect(needsReviewFacts(intent)).toBe(true);
    expect(needsReviewFacts({ system: 'erp', controlEvidence: [approval({ source: 'okta' })] })).toBe(false);
    expect(needsReviewFacts({ system: 'erp' })).toBe(false);
    expect(needsVerification(intent, snapshot)).toBe(false);
    const request = { intent, intentDigest: 'sha256:x', workspace: 'ws_1', snapshot };
    expect(await verifyAttestations(request)).toEqual([NO_ATTESTATION]);
  });
});

describe('confirmed authority', () => {
  const profile = (id: string, more: object = {}) => ({
    kind: 'Profile',
    id,
    authority: { required: true, confirmedBy: 'approval' },
    ...more,
  });
  const intent: WriteIntent = {
    system: 'erp',
    agentValue: 'new',
    authorityFound: true,
    authorityValue: 'old',
    controlEvidence: [approval()],
  };
  const confirm = (facts: readonly AttestationChecks[], sent: Partial<WriteIntent>, ...profiles: object[]) =>
    decide({ ...intent, ...sent }, facts, snapshotOf(REVIEWABLE, ...profiles), NOW_MS);

  test('names the review, never the person, and uses the approval up', () => {
    const decided = confirm([GOOD], {}, profile('p'));
    expect(decided).toMatchObject({ decision: 'allow', controlEvaluations: [], requiredControls: [] });
    expect(decided.reason).toBe('A person confirmed the authority in review `rev_1`.');
    expect(decided.consumes).toEqual([{ source: 'review-desk', jti: 'rev_1:approval' }]);
  });

  test('does not count if the review did not ask to confirm authority', () => {
    for (const given of [{ by: ['per_1'], confirmsAuthority: false }, undefined]) {
      const facts = verified({ jti: 'rev_1:approval', ...(given && { approval: given }) });
      const decided = confirm([facts], {}, profile('p'));
      expect(decided.decision).toBe('pause');
      expect(decided.review).toEqual({ controls: ['approval'] });
    }
  });

  test('is not used if the gate holds without it', () => {
    const decided = confirm([GOOD], { authorityValue: 'new' }, profile('p'));
    expect(decided).toMatchObject({ decision: 'allow', consumes: [], restsOn: [] });
  });

  test('has one remedy, and no `correct`', () => {
    const decided = confirm([], {}, profile('p'));
    expect(decided.review).toEqual({ controls: ['approval'] });
    expect(decided.remediation).toEqual([
      {
        gate: 'authority',
        controlId: 'approval',
        action: 'supply',
        need: "a person's approval in a review",
        acceptedSources: ['review-desk'],
        assurance: 'attested',
      },
    ]);
    expect(decided.reason).toMatch(/; or have a person confirm it in a review\.$/);
  });

  test.each<[string, Partial<WriteIntent>, readonly object[]]>([
    ['the proposed value is missing', { agentValue: undefined } as never, [profile('p')]],
    [
      'another profile has a say and names no control',
      {},
      [profile('p'), { kind: 'Profile', id: 'q', authority: 'required' }],
    ],
    [
      'another profile accepts sources and names no control',
      { authoritySource: 'm' },
      [profile('p'), { kind: 'Profile', id: 'q', authority: { required: false, sources: ['m'] } }],
    ],
    [
      'the mode of the whole blocks a mismatch',
      {},
      [profile('p'), { kind: 'Profile', id: 'q', require: [], writePolicy: 'block_on_mismatch' }],
    ],
    ['no profile has a say', {}, [profile('p', { authority: { required: false, confirmedBy: 'approval' } })]],
    [
      'the control has a FAIL',
      { controlEvidence: [approval(), { controlId: 'approval', source: 'x', result: 'FAIL' }] },
      [profile('p')],
    ],
  ])('does not count if %s', (_name, sent, profiles) => {
    const decided = confirm([GOOD], sent, ...profiles);
    expect(decided.decision).not.toBe('allow');
    expect(decided.review).toBeUndefined();
    expect(decided.consumes).toEqual([]);
  });

  test('by an observing profile changes only what would be decided', () => {
    const decided = confirm([GOOD], {}, profile('p', { writePolicy: 'observe' }));
    expect(decided).toMatchObject({
      decision: 'pause',
      evaluatedDecision: 'allow',
      consumes: [],
      restsOn: [],
    });
  });
});
