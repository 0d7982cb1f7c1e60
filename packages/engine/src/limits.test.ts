import { type LimitReading, NO_ATTESTATION, type WriteIntent } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { verified } from '../test/plain-snapshot.ts';
import { limitsOn } from './apply-limits.ts';
import { decide } from './decide.ts';
import { compile } from './policy/compile.ts';
import type { LimitDocument, PolicyDocument } from './policy/documents.ts';
import { requirementsOf } from './requirements.ts';

const NOW_MS = Date.parse('2026-11-17T10:00:00.000Z');
const KEY = 'key_1';
const PACK: PolicyDocument = {
  kind: 'ControlPack',
  id: 'pack',
  controls: {
    approval: { assurance: 'attested', review: true },
    token: { assurance: 'attested', use: 'once' },
    loose: {},
  },
};
const PERMIT: PolicyDocument = { kind: 'Profile', id: 'free', match: { system: 'pay' }, permit: true };
const INTENT = {
  system: 'Pay',
  operation: 'refund.create',
  metadata: { context: { customer: 'C-1', amount: 120, currency: 'EUR' } },
};

function limit(more: Partial<LimitDocument> = {}): LimitDocument {
  return { kind: 'Limit', id: 'refunds', version: '1', max: 5, per: 'day', ...more };
}

const SUM = {
  by: ['intent.metadata.context.customer'],
  sum: 'intent.metadata.context.amount',
  max: 500,
} as const;

function snapshotOf(...documents: readonly PolicyDocument[]) {
  const compiled = compile([PACK, PERMIT, ...documents]);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return compiled.snapshot;
}

function faultsOf(...documents: readonly unknown[]) {
  const compiled = compile([PACK, PERMIT, ...documents]);
  return compiled.kind === 'invalid'
    ? compiled.faults.map(({ pointer, message }) => `${pointer}: ${message}`)
    : [];
}

function decided(
  documents: readonly PolicyDocument[],
  drawn: { readonly [id: string]: string } = {},
  intent: object = INTENT,
) {
  const snapshot = snapshotOf(...documents);
  const asked = intent as WriteIntent;
  const checks = (asked.controlEvidence ?? []).map(() =>
    verified({ checkedAtMs: NOW_MS - 1_000, expiresAtMs: NOW_MS + 60_000 }),
  );
  const readings = limitsOn(asked, checks, snapshot, NOW_MS, KEY).flatMap(
    ({ limit: { id }, group }): LimitReading[] =>
      group === null ? [] : [{ limit: id, group: group.digest, drawn: drawn[id] ?? '0', resetsAt: null }],
  );
  return decide(asked, checks, snapshot, NOW_MS, { freezes: [], readings, firstKeyId: KEY });
}

describe('a limit', () => {
  test.each(['intent.system', ' intent.system ', '(intent.system)', 'intent["system"]'])(
    'counts a system without case however its path is spelled: %s',
    (path) => {
      const groupOf = (system: string) =>
        limitsOn({ ...INTENT, system } as WriteIntent, [], snapshotOf(limit({ by: [path] })), NOW_MS, KEY)[0]!
          .group!.texts;
      expect(groupOf('PAY')).toEqual(groupOf('pay'));
    },
  );

  test('lets through a write that reaches its maximum exactly, and pauses one that exceeds it', () => {
    expect(decided([limit(SUM)], { refunds: '380' })).toMatchObject({
      decision: 'allow',
      limits: [
        {
          id: 'refunds',
          version: '1',
          max: '500',
          drawn: '380',
          draw: '120',
          remaining: '120',
          per: 'day',
          resetsAt: null,
          beyond: false,
          observed: false,
        },
      ],
    });
    const beyond = decided([limit(SUM)], { refunds: '380.000001' });
    expect(beyond).toMatchObject({
      decision: 'pause',
      evaluatedDecision: 'pause',
      reasonCode: 'limit_exceeded',
      enforced: true,
      failClosed: true,
    });
    expect(beyond.limits![0]).toMatchObject({ remaining: '119.999999', beyond: true });
    expect(beyond.remediation).toEqual([
      { gate: 'limit', limitId: 'refunds', action: 'operator', need: expect.stringContaining('500') },
    ]);
    expect(beyond.reason).not.toContain('380');
    expect(decided([limit({ ...SUM, beyond: 'block' })], { refunds: '500' }).decision).toBe('block');
    expect(decided([limit({ max: 0 })]).reasonCode).toBe('limit_exceeded');
  });

  test('without a reading of its own group counts as exceeded', () => {
    const snapshot = snapshotOf(limit());
    const one = { limit: 'refunds', drawn: '0', resetsAt: null, group: 'sha256:00' };
    for (const readings of [[], [one], [{ ...one, limit: 'other' }]]) {
      const decision = decide(INTENT, [], snapshot, NOW_MS, { freezes: [], readings });
      expect(decision).toMatchObject({ decision: 'pause', reasonCode: 'limit_unreadable' });
      expect(decision.limits![0]).toMatchObject({ drawn: null, remaining: null, resetsAt: null, draw: '1' });
    }
    expect(decide(INTENT, [], snapshot, NOW_MS).decision).toBe('pause');
  });

  test.each([undefined, null, -1, '-1', '12,5', true, [1], { a: 1 }, 1e-7])(
    'cannot read a draw of %s, and pauses',
    (amount) => {
      const intent = { ...INTENT, metadata: { context: { customer: 'C-1', amount } } };
      const decision = decided([limit(SUM)], {}, intent);
      expect(decision).toMatchObject({ decision: 'pause', reasonCode: 'limit_unreadable' });
      expect(decision.limits![0]).toMatchObject({ draw: null, drawn: '0', beyond: true });
    },
  );

  test.each([undefined, null, [1], { a: 1 }])('cannot read a group of %s, and pauses', (customer) => {
    const intent = { ...INTENT, metadata: { context: { customer, amount: 1 } } };
    const decision = decided([limit(SUM)], {}, intent);
    expect(decision).toMatchObject({ decision: 'pause', reasonCode: 'limit_unreadable' });
    expect(decision.limits![0]).toMatchObject({ draw: '1', drawn: null, remaining: null, resetsAt: null });
  });

  test('counts numbers and their texts as one group, and the members of a match case-insensitively', () => {
    const groupOf = (by: readonly string[], intent: object) =>
      limitsOn(intent as typeof INTENT, [], snapshotOf(limit({ by })), NOW_MS, KEY)[0]!.group!.texts;
    const context = (customer: unknown) => ({ ...INTENT, metadata: { context: { customer } } });
    expect(groupOf(['intent.metadata.context.customer'], context(1001))).toEqual(['1001']);
    expect(groupOf(['intent.metadata.context.customer'], context('1001'))).toEqual(['1001']);
    expect(groupOf(['intent.metadata.context.customer'], context(true))).toEqual(['true']);
    expect(groupOf(['intent.system', 'key'], INTENT)).toEqual(['pay', KEY]);
    const emptyGroup = limitsOn(INTENT, [], snapshotOf(limit()), NOW_MS, KEY)[0]!.group!;
    expect(emptyGroup.texts).toEqual([]);
    expect(emptyGroup.digest).toBe('sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945');
  });

  test('applies if it cannot look up a value, and skips only what its match or condition excludes', () => {
    expect(decided([limit({ match: { system: 'crm' } })]).limits).toBeUndefined();
    expect(decided([limit({ match: { system: 'pay', objectType: 'x' } })]).limits).toHaveLength(1);
    const when = 'intent.metadata.context.amount > 1000.0';
    expect(decided([limit({ when })]).limits).toBeUndefined();
    expect(decided([limit({ when })], {}, { ...INTENT, metadata: {} }).limits).toHaveLength(1);
  });

  test('never covers an intent, so nothing is allowed because of it', () => {
    const snapshot = compile([limit()]);
    if (snapshot.kind === 'invalid') throw new Error('invalid');
    const readings = limitsOn(INTENT, [], snapshot.snapshot, NOW_MS, KEY).map(({ group }) => ({
      limit: 'refunds',
      group: group!.digest,
      drawn: '0',
      resetsAt: null,
    }));
    const circumstances = { freezes: [], readings };
    expect(decide(INTENT, [], snapshot.snapshot, NOW_MS, circumstances).reasonCode).toBe(
      'authority_unverified',
    );
    // The caller still governs itself if only limits are registered.
    const own = {
      ...INTENT,
      requiredControls: ['a'],
      controlEvidence: [{ controlId: 'a', source: 's', result: 'PASS' }],
    };
    expect(decide(own, [NO_ATTESTATION], snapshot.snapshot, NOW_MS, circumstances).decision).toBe('allow');
  });

  test('that requires controls beyond it lets one approved write through, and leaves the code to the control', () => {
    const documents = [limit({ max: 0, beyond: { require: ['approval'] } })];
    const paused = decided(documents);
    expect(paused).toMatchObject({
      decision: 'pause',
      reasonCode: 'CONTROL_EVIDENCE_MISSING',
      requiredControls: ['approval'],
      requirementProvenance: [{ controlId: 'approval', sources: ['limit:refunds@1'] }],
      review: { controls: ['approval'] },
    });
    expect(paused.remediation!.map(({ gate }) => gate)).toEqual(['control']);
    const approved = {
      ...INTENT,
      controlEvidence: [{ controlId: 'approval', source: 'desk', result: 'PASS', attestation: 'jws' }],
    };
    expect(decided(documents, {}, approved)).toMatchObject({ decision: 'allow', limits: [{ beyond: true }] });
    const unreadable = [limit({ by: ['intent.field'], beyond: { require: ['approval'] } })];
    expect(decided(unreadable).reasonCode).toBe('CONTROL_EVIDENCE_MISSING');
    expect(decided([limit({ max: 1, beyond: { require: ['approval'] } })]).requiredControls).toEqual([]);
  });

  test('that cannot be read comes before one that is exceeded, and a block before both', () => {
    const unreadable = limit({ id: 'z', by: ['intent.field'] });
    const exceeded = limit({ id: 'a', max: 0 });
    expect(decided([unreadable, exceeded]).reasonCode).toBe('limit_unreadable');
    expect(decided([unreadable, { ...exceeded, beyond: 'block' }])).toMatchObject({
      decision: 'block',
      reasonCode: 'limit_exceeded',
    });
  });

  test('that observes stops nothing, is shown, and bounds how long an allow is valid', () => {
    const observed = limit({
      max: 0,
      writePolicy: 'observe',
      observeUntil: new Date(NOW_MS + 1_000).toISOString(),
    });
    expect(decided([observed])).toMatchObject({
      decision: 'allow',
      evaluatedDecision: 'pause',
      reasonCode: 'limit_exceeded',
      observeMode: true,
      warn: true,
      validUntil: NOW_MS + 1_000,
      limits: [{ beyond: true, observed: true }],
    });
  });

  test('with more than 8 others is an error of the policy, in the decision in which they enforce', () => {
    const nine = Array.from({ length: 9 }, (_, i) => limit({ id: `l${i}` }));
    expect(decided(nine)).toMatchObject({ decision: 'pause', reasonCode: 'policy_error' });
    expect(decided(nine.slice(1)).decision).toBe('allow');
    const observing = nine.map((one, i) => (i === 0 ? { ...one, writePolicy: 'observe' as const } : one));
    expect(decided(observing)).toMatchObject({
      decision: 'allow',
      evaluatedDecision: 'pause',
      reasonCode: 'policy_error',
    });
  });

  test('counts as used up if the store was restored in its window', () => {
    const snapshot = snapshotOf(limit());
    const group = limitsOn(INTENT, [], snapshot, NOW_MS, KEY)[0]!.group!.digest;
    const readings = [{ limit: 'refunds', group, drawn: '0', resetsAt: null, restored: true as const }];
    const decision = decide(INTENT, [], snapshot, NOW_MS, { freezes: [], readings });
    expect(decision).toMatchObject({ decision: 'pause', reasonCode: 'limit_exceeded' });
    expect(decision.reason).toContain('restored');
  });

  test('is listed in requirements', () => {
    const snapshot = snapshotOf(limit());
    expect(requirementsOf(INTENT, [], snapshot, NOW_MS).limits).toMatchObject([
      { id: 'refunds', beyond: true },
    ]);
  });
});

describe('a bundle is refused', () => {
  test.each<readonly [string, object, string]>([
    ['a negative maximum', { max: -1 }, '/max'],
    ['a maximum with too many digits', { max: 0.1234567 }, '/max'],
    ['a maximum in text', { max: '5' }, '/max'],
    ['no maximum', { max: undefined }, ''],
    ['an unknown window', { per: 'year' }, '/per'],
    ['a window under a minute', { per: '59s' }, '/per'],
    ['a window over 31 days', { per: '32d' }, '/per'],
    ['no window', { per: undefined }, ''],
    ['a fifth `by`', { by: Array(5).fill('key') }, '/by'],
    ['an unknown path', { by: ['intent.runId'] }, '/by/0'],
    ['a path of something else', { by: ['now'] }, '/by/0'],
    ['`key` as an amount', { sum: 'key' }, '/sum'],
    ['an unknown control beyond', { beyond: { require: ['nobody'] } }, '/beyond/require/0'],
    ['a control that serves twice', { beyond: { require: ['approval', 'loose'] } }, '/beyond/require/1'],
    ['nothing required beyond', { beyond: { require: [] } }, '/beyond/require'],
    ['another effect', { beyond: 'allow' }, '/beyond'],
    ['block_on_mismatch', { writePolicy: 'block_on_mismatch' }, '/writePolicy'],
    ['`absent`', { absent: 'skip' }, '/absent'],
    ['`observeUntil` without observing', { observeUntil: '2026-11-17T10:00:00Z' }, '/observeUntil'],
  ])('if a limit has %s', (_, more, pointer) => {
    const document = JSON.parse(JSON.stringify({ ...limit(), ...more }));
    expect(faultsOf(document).map((fault) => fault.split(': ')[0])).toEqual([pointer]);
  });

  test('with a message that says what to do', () => {
    const messageOf = (more: object) => faultsOf({ ...limit(), ...more })[0];
    expect(messageOf({ sum: 'key' })).toContain('`key` is not an amount');
    expect(messageOf({ beyond: { require: ['nobody'] } })).toContain(
      'no ControlPack in the bundle defines `nobody`',
    );
    expect(messageOf({ beyond: { require: ['loose'] } })).toContain('add `use: once` or `review`');
  });

  test('with 51 limits, and accepted with 50', () => {
    const limits = Array.from({ length: 51 }, (_, i) => limit({ id: `l${i}` }));
    expect(faultsOf(...limits)).toEqual([': a bundle may contain 50 limits; remove this one or another']);
    expect(faultsOf(...limits.slice(1))).toEqual([]);
  });

  test('if a test supposes draws of an unknown limit, or an invalid amount', () => {
    const policyTest = {
      kind: 'PolicyTest',
      id: 't',
      intent: INTENT,
      now: '2026-11-17T10:00:00Z',
      expect: { decision: 'allow' },
    };
    expect(faultsOf(limit(), { ...policyTest, drawn: { refund: 1 } })[0]).toMatch(
      /^\/drawn\/refund: no Limit `refund` in the bundle.*did you mean `refunds`/,
    );
    expect(faultsOf({ ...policyTest, drawn: { refund: 1 } })).toEqual([
      '/drawn/refund: no Limit `refund` in the bundle',
    ]);
    expect(faultsOf(limit(), { ...policyTest, drawn: { refunds: -1 } })).toHaveLength(1);
    expect(faultsOf(limit(), { ...policyTest, drawn: { refunds: '4.50' } })).toEqual([]);
  });
});
