/** An agent with genuine items for another write or an earlier time, and payloads that no client would send. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { intentDigest } from '@writecheck/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../ask.ts';
import { rawSocket } from '../raw-socket.ts';
import { startTestService, type TestService } from '../start-service.ts';

const OURS = generateKeyPairSync('ed25519');
const THEIRS = generateKeyPairSync('ed25519');
const GONE = generateKeyPairSync('ed25519');
const nowMs = Date.UTC(2026, 10, 15, 12);
const FACTS = { facts: true, maxAge: '1m', sources: ['booking-system'], assurance: 'attested' };

const source = (id: string, { publicKey }: { readonly publicKey: KeyObject }) => ({
  kind: 'EvidenceSource',
  id,
  keys: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1' }] },
});
const permit = (id: string, operation: string, when: string) => ({
  kind: 'Profile',
  id,
  match: { system: 'booking', operation },
  when,
  permit: true,
});
const POLICY = [
  {
    kind: 'ControlPack',
    id: 'booking',
    controls: { reservation: { ...FACTS, bind: 'object' }, quote: FACTS },
  },
  source('booking-system', OURS),
  source('other-system', THEIRS),
  permit('cancel', 'reservation.cancel', 'facts.reservation.status == "open"'),
  permit('price', 'reservation.price', 'facts.quote.total <= 100.0'),
  { kind: 'Defaults', unmatched: 'pause' },
];

const CANCEL = {
  system: 'booking',
  objectType: 'reservation',
  objectRef: 'R-1',
  operation: 'reservation.cancel',
  metadata: { agent: 'robot', context: { subject: { type: 'agent', id: 'robot' } } },
};
const PRICE = { ...CANCEL, operation: 'reservation.price' };
const OBJECT = { system: 'booking', objectType: 'reservation', objectRef: 'R-1' };

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ clock: () => nowMs });
  const put = await ask(`${service.url}/v1/policies?confirmLoosening=true`, {
    ...{ method: 'PUT', key: service.ownerKey, json: { documents: POLICY } },
  });
  expect(put.status, put.text).toBe(200);
});
afterAll(() => service.stop());

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A signed read of the reservation R-1, which is open, made a second ago. */
function read(claims: object = {}, item: object = {}, { privateKey } = OURS) {
  const all = {
    ...{ aud: service.workspace, jti: `j-${Math.random()}`, controlId: 'reservation', result: 'PASS' },
    ...{ ...OBJECT, checkedAt: new Date(nowMs - 1_000).toISOString(), facts: { status: 'open', total: 5 } },
    ...claims,
  };
  const signed = `${part({ alg: 'EdDSA', kid: 'k1', typ: 'writecheck-evidence+jws' })}.${part(all)}`;
  const signature = sign(null, Buffer.from(signed), privateKey).toString('base64url');
  const attestation = `${signed}.${signature}`;
  return { controlId: all.controlId, source: 'booking-system', result: 'PASS', attestation, ...item };
}

const NO_OBJECT = { system: undefined, objectType: undefined, objectRef: undefined };
const quote = (intent: object, more: object = {}) =>
  read({ controlId: 'quote', ...NO_OBJECT, intentDigest: intentDigest(intent), ...more });

const native = async (intent: object, items: readonly object[]) =>
  (
    await ask(`${service.url}/v1/check-write`, {
      ...{ key: service.liveKey, json: { ...intent, controlEvidence: items } },
    })
  ).body.decision;

function evaluation({ system, objectType, objectRef, operation }: typeof CANCEL, items: readonly object[]) {
  return {
    subject: { type: 'agent', id: 'robot' },
    action: { name: operation },
    resource: { type: objectType, id: objectRef },
    context: { write: { system }, control_evidence: items },
  };
}
const asked = (json: unknown, path = 'evaluation') =>
  ask(`${service.url}/access/v1/${path}`, { key: service.liveKey, json });

/** The decision of both endpoints, which must agree. */
async function decided(intent: typeof CANCEL, ...items: readonly object[]): Promise<string> {
  const decision = await native(intent, items);
  const { body } = await asked(evaluation(intent, items));
  expect(body.context.decision).toBe(decision);
  expect(body.decision).toBe(decision === 'allow');
  return decision;
}

test('the matching item permits the write', async () => {
  expect(await decided(CANCEL, read())).toBe('allow');
  expect(await decided(PRICE, quote(PRICE))).toBe('allow');
});

describe('a genuine item permits nothing', () => {
  test.each<[string, () => readonly object[]]>([
    ['of another object', () => [read({ objectRef: 'R-2' })]],
    ['of another type of object', () => [read({ objectType: 'quote' })]],
    ['of another system', () => [read({ system: 'billing' })]],
    ['of another workspace', () => [read({ aud: 'ws_00000000000000000000000000000000' })]],
    ['of another control', () => [read({ controlId: 'quote' }, { controlId: 'reservation' })]],
    ['of another source', () => [read({}, { source: 'other-system' }, THEIRS)]],
    ['of another source, relabelled', () => [read({}, {}, THEIRS)]],
    ['of a key that is gone', () => [read({}, {}, GONE)]],
    ['that is a minute old', () => [read({ checkedAt: new Date(nowMs - 60_001).toISOString() })]],
    [
      'that is a minute old and says otherwise outside',
      () => [
        read(
          { checkedAt: new Date(nowMs - 60_001).toISOString() },
          { checkedAt: new Date(nowMs).toISOString(), expiresAt: new Date(nowMs + 1e6).toISOString() },
        ),
      ],
    ],
    ['that has expired', () => [read({ exp: nowMs / 1_000 - 1 })]],
    ['that says that the record is closed', () => [read({ facts: { status: 'closed' } })]],
    [
      'that says so, with other facts beside it',
      () => [read({ facts: { status: 'closed' } }, { facts: { status: 'open' } })],
    ],
    [
      'with a newer one beside it that says that the record is closed',
      () => [read(), read({ facts: { status: 'closed' }, checkedAt: new Date(nowMs).toISOString() })],
    ],
    ['with a refusal beside it', () => [read(), { controlId: 'reservation', source: 'x', result: 'FAIL' }]],
    [
      'with an unknown word beside it',
      () => [read(), { controlId: 'reservation', source: 'x', result: 'ok' }],
    ],
    ['without its facts', () => [read({ facts: undefined })]],
    ['without its binding', () => [read(NO_OBJECT)]],
    ['bound to the digest of another write', () => [read({ intentDigest: intentDigest(PRICE) })]],
  ])('%s', async (_, items) => {
    expect(await decided(CANCEL, ...items())).toBe('pause');
  });

  test('under another spelling of its object', async () => {
    for (const objectRef of ['r-1', 'R-1 ', ' R-1', 'Ｒ-1', 'R‑1', 'R-1\u200b', ''])
      expect(await decided({ ...CANCEL, objectRef }, read()), JSON.stringify(objectRef)).toBe('pause');
    expect(await decided({ ...CANCEL, system: 'BOOKING' }, read())).toBe('pause');
  });

  test('bound to a different write', async () => {
    expect(await decided(PRICE, quote(CANCEL))).toBe('pause');
    expect(await decided(PRICE, quote({ ...PRICE, metadata: { agent: 'robot' } }))).toBe('pause');
    // A read of the object alone is not enough if the write is bound.
    expect(await decided(PRICE, read({ controlId: 'quote' }))).toBe('pause');
  });
});

describe('a payload that no client would send never permits', () => {
  const good = () => evaluation(CANCEL, [read()]);

  test.each<[string, (body: ReturnType<typeof good>) => unknown]>([
    ['evidence as an object', (body) => ({ ...body, context: { ...body.context, control_evidence: {} } })],
    ['evidence that is null', (body) => ({ ...body, context: { ...body.context, control_evidence: null } })],
    [
      'evidence in another spelling',
      (body) => ({
        ...body,
        context: {
          ...body.context,
          control_evidence: [{ ...read(), controlId: undefined, control_id: 'x' }],
        },
      }),
    ],
    ['a context that is a list', (body) => ({ ...body, context: [] })],
    ['a write that is a list', (body) => ({ ...body, context: { ...body.context, write: [] } })],
    ['a system that is empty', (body) => ({ ...body, context: { ...body.context, write: { system: '' } } })],
    ['a value that is a number', (body) => ({ ...body, context: { ...body.context, write: { value: 5 } } })],
    [
      'a flag that is text',
      (body) => ({ ...body, context: { ...body.context, authority: { found: 'true' } } }),
    ],
    [
      'a requirement that is null',
      (body) => ({ ...body, context: { ...body.context, required_controls: [null] } }),
    ],
    [
      'a requirement in another spelling',
      (body) => ({ ...body, context: { ...body.context, requiredControls: ['approval'] } }),
    ],
    ['an id that is a number', (body) => ({ ...body, resource: { type: 'reservation', id: 1 } })],
    ['properties that are a list', (body) => ({ ...body, action: { ...body.action, properties: [] } })],
    ['a name with a line break', (body) => ({ ...body, action: { name: 'reservation.cancel\n' } })],
    ['no object at all', () => 'reservation.cancel'],
  ])('%s', async (_, change) => {
    const { status, headers, text } = await asked(change(good()));
    expect([status, headers.get('content-type')]).toEqual([400, 'text/plain; charset=utf-8']);
    expect(text).not.toMatch(/controlEvidence|requiredControls` is|agentValue|objectRef/);
  });

  test('bytes that another parser might read differently', async () => {
    const whole = JSON.stringify(good());
    const inside = whole.slice(1, -1);
    for (const body of [
      '',
      `\ufeff${whole}`,
      `${whole} x`,
      `${whole}${whole}`,
      `{"action":{"name":"x"},${inside}}`,
      `{"__proto__":{},${inside}}`,
      `{"n":1e400,${inside}}`,
      `{"n":9007199254740993,${inside}}`,
      `{"n":NaN,${inside}}`,
      `{"n":"\\ud800",${inside}}`,
      `{"n":${'['.repeat(33)}${']'.repeat(33)},${inside}}`,
      `{${inside},}`,
    ]) {
      const init = {
        method: 'POST',
        key: service.liveKey,
        headers: { 'content-type': 'application/json' },
        body,
      };
      for (const path of ['evaluation', 'evaluations']) {
        const { status } = await ask(`${service.url}/access/v1/${path}`, init);
        expect(status, `${path} ${body.slice(0, 60)}`).toBe(400);
      }
    }
  });

  test('in a batch such an item is refused alone, and the others are decided', async () => {
    const { body } = await asked(
      { evaluations: [[], 'x', { ...good(), subject: [] }, good(), { evaluations: [good()] }] },
      'evaluations',
    );
    const decisions = body.evaluations.map(({ decision }: { decision: unknown }) => decision);
    expect(decisions).toEqual([false, false, false, true, false]);
  });

  test('a request id of any bytes is returned as sent', async () => {
    const { socket, until } = await rawSocket(service.url);
    socket.setEncoding('latin1');
    const body = JSON.stringify(good());
    const head = [
      'POST /access/v1/evaluation HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${service.liveKey}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'X-Request-ID: caf\u00e9 "1"',
      'Connection: close',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1');
    const text = await until((all) => all.includes('\r\n\r\n'));
    expect(text).toContain('HTTP/1.1 200');
    expect(text.toLowerCase()).toContain('x-request-id: caf\u00e9 "1"');
    socket.destroy();
  });
});
