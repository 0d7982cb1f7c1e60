import {
  type AttestationChecks,
  type EvidenceItem,
  intentDigest,
  type JsonObject,
  type WriteIntent,
} from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { ED25519_JWK } from '../test/keys.ts';
import { sign } from '../test/sign-attestation.ts';
import { decide } from './decide.ts';
import { verifyAttestations } from './evidence/verify-attestations.ts';
import { compile } from './policy/compile.ts';
import { requirementsOf } from './requirements.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const SOURCE = { kind: 'EvidenceSource', id: 'booking', keys: { keys: [ED25519_JWK] } };
const RESERVATION = {
  facts: true,
  maxAge: '1m',
  sources: ['booking'],
  assurance: 'attested',
  bind: 'object',
};
const INTENT: WriteIntent = {
  system: 'airline',
  objectType: 'reservation',
  objectRef: 'R-1',
  operation: 'reservation.cancel',
};
const PERMIT = {
  kind: 'Profile',
  id: 'cancel',
  match: { system: 'airline', operation: 'reservation.cancel' },
  when: 'facts.reservation.cabin == "business"',
  permit: true,
};
const STRICT = {
  kind: 'Profile',
  id: 'flown',
  match: { system: 'airline' },
  when: 'facts.reservation.flights.exists(f, f.status == "flown")',
  require: ['approval'],
};

function bundle(documents: readonly object[], reservation: object = {}) {
  const compiled = compile([
    SOURCE,
    {
      kind: 'ControlPack',
      id: 'pack',
      controls: { reservation: JSON.parse(JSON.stringify({ ...RESERVATION, ...reservation })) },
    },
    ...documents,
  ]);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return compiled.snapshot;
}

interface Sent {
  readonly item: EvidenceItem;
  readonly checks: AttestationChecks;
}

function read(facts: JsonObject | undefined, more: Partial<EvidenceItem> = {}, checks: object = {}): Sent {
  return {
    item: {
      controlId: 'reservation',
      source: 'booking',
      result: 'PASS',
      checkedAt: '2026-11-15T11:59:50Z',
      attestation: 'signed',
      ...more,
    },
    checks: {
      kind: 'verified',
      jti: 'j1',
      checkedAtMs: NOW - 10_000,
      expiresAtMs: null,
      boundToDigest: false,
      boundToObject: true,
      revoked: false,
      usedUp: false,
      ...(facts !== undefined && { facts }),
      ...checks,
    } as AttestationChecks,
  };
}

function decided(snapshot: ReturnType<typeof bundle>, sent: readonly Sent[] = [], intent = INTENT) {
  return decide(
    { ...intent, controlEvidence: sent.map(({ item }) => item) },
    sent.map(({ checks }) => checks),
    snapshot,
    NOW,
  );
}

const BUSINESS = { cabin: 'business', flights: [{ status: 'booked' }] };

test('a permit applies if the record says so, and the item with that fact is used evidence', () => {
  const decision = decided(bundle([PERMIT]), [read(BUSINESS)]);
  expect(decision).toMatchObject({
    decision: 'allow',
    facts: [
      { controlId: 'reservation', status: 'used', source: 'booking', checkedAt: '2026-11-15T11:59:50Z' },
    ],
    validUntil: NOW + 50_000,
    restsOn: [{ source: 'booking', jti: 'j1' }],
    consumes: [],
  });
  expect(decided(bundle([PERMIT], { use: 'once' }), [read(BUSINESS)]).consumes).toEqual([
    { source: 'booking', jti: 'j1' },
  ]);
  expect(decided(bundle([PERMIT]), [read({ ...BUSINESS, cabin: 'basic' })]).decision).toBe('pause');
});

test('if a condition fails because a text is not a time, that text is named', () => {
  const timed = (when: string) => bundle([{ ...PERMIT, when }]);
  const reasonOf = (when: string, facts: JsonObject) => {
    const { reasonCode, reason, remediation } = decided(timed(when), [read(facts)]);
    expect([reasonCode, remediation![0]!.need]).toEqual(['policy_error', reason]);
    return reason;
  };
  const recent = 'timestamp(facts.reservation.createdAt) > now - duration("24h")';
  expect(reasonOf(recent, { createdAt: '2026-11-15T03:10:19' })).toMatch(
    /`facts\.reservation\.createdAt` is not an RFC 3339 time with an offset/,
  );
  expect(reasonOf('now - duration(facts.reservation.hold) > now', { hold: '1 day' })).toMatch(
    /`facts\.reservation\.hold` is not a duration such as/,
  );
  expect(
    reasonOf(`${recent} || 1.0 / facts.reservation.n > 1.0`, { createdAt: '2026-11-15T03:10:19Z', n: 0 }),
  ).toMatch(/an operator must fix the condition/);
});

test.each<[string, readonly Sent[], string]>([
  ['nothing', [], 'missing'],
  ['a good item without the claim', [read(undefined)], 'missing'],
  ['a stale one', [read(BUSINESS, {}, { checkedAtMs: NOW - 61_000 })], 'stale'],
  ['an expired one', [read(BUSINESS, {}, { expiresAtMs: NOW })], 'expired'],
  ['one of another source', [read(BUSINESS, { source: 'elsewhere' })], 'untrusted'],
  ['one that does not verify', [read(BUSINESS, {}, { kind: 'rejected', why: 'forged' })], 'untrusted'],
  ['one of another object', [read(BUSINESS, {}, { boundToObject: false })], 'untrusted'],
  ['one dated ahead', [read(BUSINESS, {}, { checkedAtMs: NOW + 61_000 })], 'untrusted'],
  ['a FAIL beside it', [read(BUSINESS), read(undefined, { result: 'FAIL' }, { kind: 'none' })], 'failed'],
  [
    'a REVOKED beside it',
    [read(BUSINESS), read(undefined, { result: 'REVOKED', source: 'x' }, { kind: 'none' })],
    'revoked',
  ],
  [
    'a word beside it',
    [read(BUSINESS), read(undefined, { result: 'pass' }, { kind: 'none' })],
    'unrecognized',
  ],
  ['one that was revoked', [read(BUSINESS, {}, { revoked: true })], 'revoked'],
  [
    'a newer good one without the claim',
    [read(BUSINESS), read(undefined, {}, { jti: 'j2', checkedAtMs: NOW - 5_000 })],
    'missing',
  ],
])('with %s there are no facts, a permit does not apply and a rule does', (_name, sent, status) => {
  const permitted = decided(bundle([PERMIT]), sent);
  expect(permitted.decision).not.toBe('allow');
  expect(permitted.facts).toMatchObject([{ controlId: 'reservation', status }]);
  expect(permitted.remediation![0]).toMatchObject({
    gate: 'policy',
    controlId: 'reservation',
    action: 'inform',
    acceptedSources: ['booking'],
    maxAgeSeconds: 60,
    assurance: 'attested',
  });
  const ruled = decided(bundle([STRICT]), sent);
  expect(ruled.requiredControls).toEqual(['approval']);
  expect(ruled.decision).not.toBe('allow');
});

test('among several good items, the one that would be shown counts', () => {
  const older = read(BUSINESS);
  const newer = read({ ...BUSINESS, cabin: 'basic' }, {}, { jti: 'j2', checkedAtMs: NOW - 5_000 });
  expect(decided(bundle([PERMIT]), [older, newer]).decision).toBe('pause');
  expect(decided(bundle([PERMIT]), [newer, older]).decision).toBe('pause');
});

test('an item that an enforcing condition read is used even if the condition does not hold', () => {
  const approval = { item: { controlId: 'approval', source: 'x', result: 'PASS' }, checks: NONE };
  const other = { kind: 'Profile', id: 'all', match: { system: 'airline' }, require: ['approval'] };
  const once = bundle([STRICT, other], { use: 'once' });
  expect(decided(once, [approval, read(BUSINESS)])).toMatchObject({
    decision: 'allow',
    consumes: [{ jti: 'j1' }],
    restsOn: [{ jti: 'j1' }],
    validUntil: NOW + 50_000,
  });
  const watching = bundle([{ ...STRICT, writePolicy: 'observe' }, other], { use: 'once' });
  expect(decided(watching, [approval, read(BUSINESS)])).toMatchObject({
    decision: 'allow',
    facts: [{ status: 'used' }],
    consumes: [],
    restsOn: [],
    validUntil: NOW + 300_000,
  });
});

const NONE: AttestationChecks = { kind: 'none' };

test('a profile that applies only because there are no facts gives nothing', () => {
  const unmatched = { kind: 'Defaults', unmatched: 'pause' };
  const approval = { item: { controlId: 'approval', source: 'x', result: 'PASS' }, checks: NONE };
  const snapshot = bundle([STRICT, unmatched]);
  expect(decided(snapshot, [approval])).toMatchObject({ decision: 'pause', reasonCode: 'policy_unmatched' });
  const flown = read({ flights: [{ status: 'flown' }] });
  expect(decided(snapshot, [approval, flown]).decision).toBe('allow');
});

test('a decision that reads no facts has no members for them', () => {
  const plain = bundle([{ kind: 'Profile', id: 'p', match: { system: 'airline' }, require: ['approval'] }]);
  expect(decided(plain, [read(BUSINESS)]).facts).toBeUndefined();
  const { remediation } = decided(plain, [read(BUSINESS)]);
  expect(remediation!.every(({ action }) => action !== 'inform')).toBe(true);
});

test('requirements name the facts of every rule whose match fits, whatever its condition', () => {
  const elsewhere = { ...STRICT, id: 'elsewhere', match: { system: 'crm' } };
  const stated = (documents: readonly object[], more: object = {}) =>
    requirementsOf(INTENT, [], bundle(documents, more), NOW).facts;
  expect(stated([PERMIT, STRICT])).toEqual([
    {
      controlId: 'reservation',
      acceptedSources: ['booking'],
      maxAgeSeconds: 60,
      assurance: 'attested',
      bind: 'object',
      use: null,
    },
  ]);
  expect(stated([elsewhere])).toEqual([]);
  expect(stated([PERMIT], { bind: undefined, sources: undefined, use: 'once' })).toMatchObject([
    { acceptedSources: null, bind: 'intent', use: 'once' },
  ]);
});

test('authority that would unbind facts is not offered as sufficient', () => {
  const asks = { kind: 'Profile', id: 'asks', match: { system: 'airline' }, authority: 'required' };
  const bound = read(BUSINESS, {}, { boundToDigest: true });
  const { remediation } = decided(bundle([STRICT, asks]), [bound]);
  expect(remediation).toMatchObject([{ gate: 'authority', action: 'correct' }]);
  expect(decided(bundle([STRICT, asks]), [read(BUSINESS)]).remediation).toMatchObject([
    { gate: 'authority', action: 'supply' },
  ]);
});

describe('the claim', () => {
  const snapshot = bundle([PERMIT]);
  const verified = async (facts: unknown, more: object = {}) => {
    const claims = {
      aud: 'ws_1',
      jti: 'j1',
      controlId: 'reservation',
      result: 'PASS',
      checkedAt: '2026-11-15T11:59:50Z',
      system: 'airline',
      objectType: 'reservation',
      objectRef: 'R-1',
      ...(facts !== undefined && { facts }),
    };
    const item = {
      controlId: 'reservation',
      source: 'booking',
      result: 'PASS',
      attestation: await sign(claims),
    };
    const intent = { ...INTENT, controlEvidence: [{ ...item, ...more }] };
    const request = { intent, intentDigest: intentDigest(intent), workspace: 'ws_1', snapshot };
    return (await verifyAttestations(request))[0]!;
  };

  /** An object whose RFC 8785 form has this many bytes. */
  const ofBytes = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
  /** Nested containers, the outermost included. */
  const ofDepth = (depth: number): JsonObject => (depth === 1 ? {} : { a: ofDepth(depth - 1) });

  test('is returned as it was signed', async () => {
    expect(await verified(BUSINESS)).toMatchObject({ kind: 'verified', facts: BUSINESS });
    expect(await verified(undefined)).not.toHaveProperty('facts');
    expect(await verified(ofBytes(16_384))).toMatchObject({ kind: 'verified' });
    expect(await verified(ofDepth(16))).toMatchObject({ kind: 'verified' });
  });

  test.each<[string, unknown]>([
    ['a list', []],
    ['text', 'x'],
    ['null', null],
    ['a number', 1],
    ['too large', ofBytes(16_385)],
    ['too large in UTF-8', { a: 'é'.repeat(8_200) }],
    ['too deep', ofDepth(17)],
  ])('that is %s makes the item untrusted', async (_name, facts) => {
    expect(await verified(facts)).toMatchObject({ kind: 'rejected' });
  });

  test('outside the attestation does not count', async () => {
    expect(await verified(undefined, { facts: BUSINESS })).not.toHaveProperty('facts');
  });
});

describe('a control with facts', () => {
  const faults = (control: object, id = 'reservation', more: readonly object[] = []) => {
    const compiled = compile([{ kind: 'ControlPack', id: 'p', controls: { [id]: control } }, ...more]);
    return compiled.kind === 'invalid'
      ? compiled.faults.map(({ documentIndex, pointer, line, column }) => [
          documentIndex,
          pointer,
          line,
          column,
        ])
      : [];
  };
  const authority = (of: object) => ({ kind: 'Profile', id: 'q', authority: of });

  test.each<[string, ReturnType<typeof faults>, ReturnType<typeof faults>]>([
    ['is fine', faults(RESERVATION), []],
    [
      'may be required',
      faults(RESERVATION, 'reservation', [{ kind: 'Profile', id: 'q', require: ['reservation'] }]),
      [],
    ],
    [
      'needs assurance',
      faults({ facts: true, maxAge: '1m' }),
      [[0, '/controls/reservation/facts', undefined, undefined]],
    ],
    [
      'needs maxAge',
      faults({ facts: true, assurance: 'attested' }),
      [[0, '/controls/reservation/facts', undefined, undefined]],
    ],
    [
      'has no review',
      faults({ ...RESERVATION, review: true }),
      [[0, '/controls/reservation/facts', undefined, undefined]],
    ],
    [
      'is not false',
      faults({ ...RESERVATION, facts: false }),
      [[0, '/controls/reservation/facts', undefined, undefined]],
    ],
    [
      'has an identifier',
      faults(RESERVATION, 'the-record'),
      [[0, '/controls/the-record', undefined, undefined]],
    ],
    ['has no reserved word', faults(RESERVATION, 'for'), [[0, '/controls/for', undefined, undefined]]],
    [
      'attests nothing',
      faults(RESERVATION, 'reservation', [authority({ attestedBy: 'reservation' })]),
      [[1, '/authority/attestedBy', undefined, undefined]],
    ],
    [
      'confirms nothing',
      faults(RESERVATION, 'reservation', [authority({ confirmedBy: 'reservation' })]),
      [[1, '/authority/confirmedBy', undefined, undefined]],
    ],
    [
      'must be there for a condition',
      faults({}, 'reservation', [{ kind: 'Profile', id: 'q', when: 'true &&\n  facts.reservation.x == 1' }]),
      [[1, '/when', 2, 3]],
    ],
  ])('%s', (_name, found, expected) => {
    expect(found).toEqual(expected);
  });
});
