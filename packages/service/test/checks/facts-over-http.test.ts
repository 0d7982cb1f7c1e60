/** Facts over HTTP: what the decision uses them, the audit record keeps them, and they count as used evidence. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { intentFromValue } from '@writecheck/contract';
import { compile, decide } from '@writecheck/engine';
import { readRecord } from '@writecheck/ledger';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, check, checkAll } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

const KEYS = generateKeyPairSync('ed25519');
let nowMs = Date.UTC(2026, 10, 15, 12);
let service: TestService;

const POLICY = [
  {
    kind: 'ControlPack',
    id: 'booking',
    controls: {
      reservation: {
        ...{ facts: true, maxAge: '1m', sources: ['booking-system'], assurance: 'attested', bind: 'object' },
        use: 'once',
      },
    },
  },
  {
    kind: 'EvidenceSource',
    id: 'booking-system',
    keys: { keys: [{ ...KEYS.publicKey.export({ format: 'jwk' }), kid: 'k1' }] },
  },
  {
    kind: 'Profile',
    id: 'cancel',
    match: { system: 'booking', operation: 'reservation.cancel' },
    when: 'facts.reservation.flights.all(f, f.status != "flown")',
    permit: true,
  },
  { kind: 'Defaults', unmatched: 'pause' },
];
const INTENT = {
  ...{ system: 'booking', objectType: 'reservation', objectRef: 'R-1' },
  operation: 'reservation.cancel',
};
const RECORD = {
  flights: [{ status: 'booked' }],
  intent: { system: 'other' },
  decision: { decision: 'block' },
};

beforeAll(async () => {
  service = await startTestService({ clock: () => nowMs });
  const put = await ask(`${service.url}/v1/policies?confirmLoosening=true`, {
    ...{ method: 'PUT', key: service.ownerKey, json: { documents: POLICY } },
  });
  expect(put.status).toBe(200);
});
afterAll(() => service.stop());

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function readOf(jti: string, facts: unknown = RECORD, objectRef = 'R-1') {
  const claims = {
    ...{ aud: service.workspace, jti, controlId: 'reservation', result: 'PASS' },
    ...(facts !== null && { facts }),
    ...{ system: 'booking', objectType: 'reservation', objectRef, checkedAt: new Date(nowMs).toISOString() },
  };
  const signed = `${part({ alg: 'EdDSA', kid: 'k1', typ: 'writecheck-evidence+jws' })}.${part(claims)}`;
  const signature = sign(null, Buffer.from(signed), KEYS.privateKey).toString('base64url');
  return {
    ...{ controlId: 'reservation', source: 'booking-system', result: 'PASS' },
    attestation: `${signed}.${signature}`,
  };
}

const cancel = (items: readonly object[], headers = {}) =>
  check(service, { ...INTENT, controlEvidence: items }, { key: service.liveKey, headers });

test('facts permit once, end the allow with their age, and their revocation ends its redemption', async () => {
  const item = readOf('read-1');
  const { body } = await cancel([item]);
  expect(body).toMatchObject({
    decision: 'allow',
    facts: [{ controlId: 'reservation', status: 'used', source: 'booking-system' }],
    validUntil: new Date(nowMs + 60_000).toISOString(),
  });
  const again = await cancel([item]);
  expect(again.body).toMatchObject({ decision: 'pause', facts: [{ status: 'untrusted' }] });
  const revoked = await ask(`${service.url}/v1/evidence/revocations`, {
    ...{ key: service.ownerKey, json: { source: 'booking-system', jti: 'read-1' } },
  });
  expect(revoked.status).toBe(201);
  const redeemed = await ask(`${service.url}/v1/decisions/${body.decision_id}/redeem`, {
    ...{ key: service.liveKey, json: { intentDigest: body.intentDigest } },
  });
  expect(redeemed.body.error.code).toBe('not_redeemable');
});

test('without facts, or with those of another object, nothing is permitted and the response says what to send', async () => {
  for (const [items, status] of [
    [[], 'missing'],
    [[readOf('read-2', RECORD, 'R-2')], 'untrusted'],
    [[readOf('read-3', [])], 'untrusted'],
    [[{ ...readOf('read-4', null), facts: RECORD }], 'missing'],
  ] as const) {
    const { body } = await cancel(items);
    expect(body).toMatchObject({ decision: 'pause', facts: [{ controlId: 'reservation', status }] });
    expect(body.remediation[0]).toMatchObject({
      ...{ gate: 'policy', controlId: 'reservation', action: 'inform', assurance: 'attested' },
      ...{ acceptedSources: ['booking-system'], maxAgeSeconds: 60 },
    });
    if (items.length === 1 && 'facts' in items[0]) expect(body.warnings.join()).toContain('`facts`');
  }
});

test('a record holds the facts of the decision, and is decided again to the byte', async () => {
  const { body } = await cancel([readOf('read-5')]);
  expect(body.decision).toBe('allow');
  const segments = await service.store.segments(service.store.log, 0, 1_000);
  const records = segments.flatMap(({ entries }) =>
    entries.flatMap(({ record }) => (record.length > 0 ? [record] : [])),
  );
  const found = records.map((bytes) => readRecord(bytes)).find((one) => one.decisionId === body.decision_id)!;
  expect(found.facts).toMatchObject([{ kind: 'verified', facts: RECORD }]);
  const compiled = compile(POLICY);
  const parsed = intentFromValue(JSON.parse(found.intentText));
  if (compiled.kind !== 'snapshot' || parsed.kind !== 'intent') throw new Error('cannot be decided again');
  const again = decide(parsed.intent, found.facts, compiled.snapshot, Date.parse(found.timestamp));
  expect(JSON.parse(JSON.stringify(again))).toEqual(JSON.parse(JSON.stringify(found.decision)));
});

test('requirements name the facts to send, and of two concurrent checks one uses the read', async () => {
  const needed = await ask(`${service.url}/v1/requirements`, { key: service.liveKey, json: INTENT });
  expect(needed.body.facts).toEqual([
    {
      ...{ controlId: 'reservation', acceptedSources: ['booking-system'], maxAgeSeconds: 60 },
      ...{ assurance: 'attested', bind: 'object', use: 'once' },
    },
  ]);
  const intent = { ...INTENT, controlEvidence: [readOf('read-6')] };
  const both = await checkAll(service.url, service.liveKey, [intent, intent]);
  expect(both.map(({ body }) => body.decision).sort()).toEqual(['allow', 'pause']);
});

test('an allow ends with the facts it read', async () => {
  const headers = { 'idempotency-key': 'facts-1' };
  const item = readOf('read-7');
  expect((await cancel([item], headers)).body.decision).toBe('allow');
  nowMs += 61_000;
  const late = await cancel([item], headers);
  expect(late.body.error.code).toBe('idempotency_key_expired');
});

test('a condition over an unknown control is refused with its place', async () => {
  const yaml = 'kind: Profile\nid: p\nwhen: true && facts.nobody.x == 1\n';
  const put = await ask(`${service.url}/v1/policies`, {
    ...{ method: 'PUT', key: service.ownerKey, body: yaml, headers: { 'content-type': 'application/yaml' } },
  });
  expect(put.status).toBe(422);
  expect(put.body.error.details[0]).toMatchObject({
    pointer: expect.stringContaining('/when'),
    line: 3,
    column: 7,
    message: expect.stringContaining('column 9'),
  });
});
