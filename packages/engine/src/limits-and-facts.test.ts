import type { AttestationChecks, EvidenceItem, JsonObject, WriteIntent } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { verified } from '../test/plain-snapshot.ts';
import { limitsOn } from './apply-limits.ts';
import { decide } from './decide.ts';
import { compile } from './policy/compile.ts';
import type { LimitDocument } from './policy/documents.ts';

const NOW_MS = Date.parse('2026-11-17T10:00:00.000Z');
const FACTS = { facts: true, maxAge: '5m', assurance: 'attested', bind: 'object' };
const BASE = [
  { kind: 'Profile', id: 'free', match: { system: 'pay' }, permit: true },
  { kind: 'ControlPack', id: 'pack', controls: { order: FACTS, account: FACTS } },
];
const INTENT: WriteIntent = { system: 'pay', objectType: 'order', objectRef: 'O-1', operation: 'refund' };

function limit(more: Partial<LimitDocument> = {}): LimitDocument {
  return { kind: 'Limit', id: 'refunds', version: '1', max: 5, per: 'day', ...more };
}

function snapshotOf(...limits: readonly LimitDocument[]) {
  const compiled = compile([...BASE, ...limits]);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return compiled.snapshot;
}

type Read = { readonly [controlId: string]: JsonObject };

function sent(read: Read): { readonly intent: WriteIntent; readonly checks: readonly AttestationChecks[] } {
  const items = Object.keys(read).map(
    (controlId): EvidenceItem => ({ controlId, source: 'erp', result: 'PASS', attestation: 'signed' }),
  );
  const checks = Object.values(read).map((facts, index) =>
    verified({ jti: `j${index}`, checkedAtMs: NOW_MS - 60_000 * (1 + index), expiresAtMs: null, facts }),
  );
  return { intent: { ...INTENT, controlEvidence: items }, checks };
}

function decided(limits: readonly LimitDocument[], read: Read, drawn = '0') {
  const snapshot = snapshotOf(...limits);
  const { intent, checks } = sent(read);
  const readings = limitsOn(intent, checks, snapshot, NOW_MS, 'key_1').flatMap(({ limit: { id }, group }) =>
    group === null ? [] : [{ limit: id, group: group.digest, drawn, resetsAt: null }],
  );
  return decide(intent, checks, snapshot, NOW_MS, { freezes: [], readings, firstKeyId: 'key_1' });
}

const statuses = (decision: ReturnType<typeof decide>) =>
  decision.facts?.map(({ controlId, status }) => `${controlId} ${status}`);

describe('a limit that counts by facts', () => {
  const byFacts = limit({ by: ['facts.order.customer'], sum: 'facts.account.amount', max: 100 });
  const read = { order: { customer: 'C-1' }, account: { amount: '007.50' } };

  test('counts by the facts of the record, and uses both items: the older one bounds how long the allow is valid', () => {
    const decision = decided([byFacts], read);
    expect(decision).toMatchObject({
      decision: 'allow',
      limits: [{ draw: '7.5', drawn: '0' }],
      validUntil: NOW_MS + 3 * 60_000,
    });
    expect(statuses(decision)).toEqual(['account used', 'order used']);
    expect(decided([byFacts], read, '92.500001')).toMatchObject({
      decision: 'pause',
      reasonCode: 'limit_exceeded',
    });
    const { intent, checks } = sent(read);
    expect(limitsOn(intent, checks, snapshotOf(byFacts), NOW_MS, null)[0]!.group!.texts).toEqual(['C-1']);
  });

  test('cannot be read if an item is missing, and says which', () => {
    for (const [missing, rest] of [
      ['order', { account: read.account }],
      ['account', { order: read.order }],
    ] as const) {
      const decision = decided([byFacts], rest);
      expect(decision).toMatchObject({ decision: 'pause', reasonCode: 'limit_unreadable' });
      expect(statuses(decision)).toContain(`${missing} missing`);
    }
  });

  test('names the facts of its condition if it does not apply, and none if it does not match', () => {
    const conditional = limit({ when: 'facts.account.amount > 5.0', by: ['facts.order.customer'] });
    const small = decided([conditional], { order: { customer: 'C-1' }, account: { amount: 1 } });
    expect([small.limits, statuses(small)]).toEqual([undefined, ['account used']]);
    const large = decided([conditional], { order: { customer: 'C-1' }, account: { amount: 9 } });
    expect([large.limits?.length, statuses(large)]).toEqual([1, ['account used', 'order used']]);
    const other = limit({ id: 'other' });
    const beside = decided([conditional, other], { order: { customer: 'C-1' }, account: { amount: 1 } });
    expect([beside.limits?.length, statuses(beside)]).toEqual([1, ['account used']]);
    const elsewhere = decided([{ ...conditional, match: { system: 'crm' } }], read);
    expect([elsewhere.limits, elsewhere.facts]).toEqual([undefined, undefined]);
  });

  test('and only observes is shown with its facts, which bound nothing', () => {
    const plain = decided([], read);
    const observed = decided([{ ...byFacts, writePolicy: 'observe' }], read);
    expect(statuses(observed)).toEqual(['account used', 'order used']);
    expect(observed.validUntil).toBe(plain.validUntil);
  });

  test('keeps the case of every text except the members of a match', () => {
    const groupOf = (by: string, intent: object = INTENT) => {
      const { checks } = sent({ order: { system: 'PAY' } });
      const asked = { ...sent({ order: { system: 'PAY' } }).intent, ...intent } as WriteIntent;
      return limitsOn(asked, checks, snapshotOf(limit({ by: [by] })), NOW_MS, null)[0]!.group!.texts;
    };
    expect(groupOf('facts.order.system')).toEqual(['PAY']);
    expect(groupOf('intent.objectRef', { objectRef: 'O-A' })).toEqual(['O-A']);
    expect(groupOf('intent.metadata.system', { metadata: { system: 'PAY' } })).toEqual(['PAY']);
    expect(groupOf('intent.operation', { operation: 'REFUND' })).toEqual(['refund']);
  });
});

describe('the condition of a limit', () => {
  test('that fails is an error of the policy, and the limit applies', () => {
    const failing = limit({ when: 'timestamp(facts.account.due) < now' });
    const decision = decided([failing], { account: { due: 'never' } });
    expect(decision).toMatchObject({
      decision: 'pause',
      reasonCode: 'policy_error',
      limits: [{ id: 'refunds' }],
    });
    expect(decided([failing], { account: { due: '2026-01-01T00:00:00Z' } }).decision).toBe('allow');
  });

  test('shares its budget with other limits that enforce, but not with those that observe', () => {
    const when = 'intent.agentValue.contains(intent.metadata.text)';
    const text = 'x'.repeat(16_000);
    const intent = { ...INTENT, agentValue: text, metadata: { text: `${text.slice(1)}y` } };
    const decisionOf = (...limits: readonly LimitDocument[]) =>
      decide(intent, [], snapshotOf(...limits), NOW_MS).reasonCode;
    const [a, b] = [limit({ id: 'a', when }), limit({ id: 'b', when })];
    expect(decisionOf(a)).toBe('requirements_met');
    expect(decisionOf(a, b)).toBe('policy_error');
    expect(decisionOf({ ...a, writePolicy: 'observe' }, b)).toBe('requirements_met');
  });
});

test('a reading of another limit does not count, even if its group is the same', () => {
  const snapshot = snapshotOf(limit());
  const group = limitsOn(INTENT, [], snapshot, NOW_MS, null)[0]!.group!.digest;
  const readings = [{ limit: 'other', group, drawn: '0', resetsAt: null }];
  const decision = decide(INTENT, [], snapshot, NOW_MS, { freezes: [], readings });
  expect(decision).toMatchObject({ decision: 'pause', reasonCode: 'limit_unreadable' });
});

test('a counter is identified by what is counted: by, sum and per', () => {
  const counterOf = (more: Partial<LimitDocument>) => snapshotOf(limit(more)).limits[0]!.counter;
  const plain = counterOf({});
  for (const more of [{ by: ['key'] }, { sum: 'intent.agentValue' }, { per: 'hour' }])
    expect(counterOf(more), JSON.stringify(more)).not.toBe(plain);
  for (const more of [{ max: 9 }, { id: 'other' }, { version: '2' }, { beyond: 'block' as const }])
    expect(counterOf(more), JSON.stringify(more)).toBe(plain);
});

test('a limit without a version is named by its id alone', () => {
  const { version: _none, ...unversioned } = limit();
  const refs = [unversioned, limit()].map((one) => snapshotOf(one).limits[0]!.ref);
  expect(refs).toEqual(['limit:refunds', 'limit:refunds@1']);
});
