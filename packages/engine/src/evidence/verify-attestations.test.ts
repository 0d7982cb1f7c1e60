import type { EvidenceItem, WriteIntent } from '@writecheck/contract';
import { intentDigest } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { pack, profile } from '../../test/documents.ts';
import { ED25519_JWK, P256_JWK } from '../../test/keys.ts';
import { base64url, headerOf, type Signer, sign, signBytes } from '../../test/sign-attestation.ts';
import { compile } from '../policy/compile.ts';
import type { PolicySnapshot } from '../policy/snapshot.ts';
import { needsVerification, verifyAttestations } from './verify-attestations.ts';

const WORKSPACE = 'ws_0190';
const TARGET: WriteIntent = {
  system: 'erp',
  objectType: 'vendor',
  objectRef: 'v-1',
  field: 'iban',
  agentValue: 'DE89',
  requiredControls: ['approval'],
};
const DIGEST = intentDigest(TARGET);
const CLAIMS = {
  aud: WORKSPACE,
  jti: 'j-1',
  controlId: 'approval',
  result: 'PASS',
  checkedAt: '2026-11-15T12:00:00Z',
  exp: 1_794_744_000,
  intentDigest: DIGEST,
};
const OBJECT = { system: 'erp', objectType: 'vendor', objectRef: 'v-1' };
const ITEM: EvidenceItem = { controlId: 'approval', source: 'okta', result: 'PASS' };

function snapshotOf(...documents: unknown[]): PolicySnapshot {
  const compiled = compile([
    { kind: 'EvidenceSource', id: 'okta', keys: { keys: [ED25519_JWK, P256_JWK] } },
    { kind: 'EvidenceSource', id: 'entra', keys: { keys: [{ ...P256_JWK, kid: 'ed-1' }] } },
    { kind: 'EvidenceSource', id: 'withdrawn', keys: { keys: [] } },
    ...documents,
  ]);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return compiled.snapshot;
}

const SNAPSHOT = snapshotOf();

async function verify(
  attestation: string,
  item: Partial<EvidenceItem> = {},
  intent = TARGET,
  snapshot = SNAPSHOT,
) {
  const controlEvidence = [{ ...ITEM, ...item, attestation }];
  const request = {
    intent: { ...intent, controlEvidence },
    intentDigest: DIGEST,
    workspace: WORKSPACE,
    snapshot,
  };
  const facts = await verifyAttestations(request);
  expect(facts).toHaveLength(1);
  return facts[0]!;
}

function without(member: keyof typeof CLAIMS) {
  return Object.fromEntries(Object.entries(CLAIMS).filter(([name]) => name !== member));
}

describe('a good attestation', () => {
  test.each<Signer>(['ed', 'ec'])('signed with %s is verified', async (signer) => {
    // A new snapshot has keys that were never used before.
    const snapshot = snapshotOf();
    expect(await verify(await sign(CLAIMS, headerOf(signer), signer), {}, TARGET, snapshot)).toEqual({
      kind: 'verified',
      jti: 'j-1',
      checkedAtMs: Date.UTC(2026, 10, 15, 12),
      expiresAtMs: 1_794_744_000_000,
      boundToDigest: true,
      boundToObject: false,
      revoked: false,
      usedUp: false,
    });
  });

  test.each<[string, object, object]>([
    ['without exp', { ...without('exp') }, { expiresAtMs: null }],
    ['with an exp in fractions', { ...CLAIMS, exp: 1.0019 }, { expiresAtMs: 1_001 }],
    ['with exp zero', { ...CLAIMS, exp: 0 }, { expiresAtMs: 0 }],
    [
      'bound to the object',
      { ...without('intentDigest'), ...OBJECT },
      { boundToDigest: false, boundToObject: true },
    ],
    ['bound to both', { ...CLAIMS, ...OBJECT }, { boundToDigest: true, boundToObject: true }],
    [
      'naming a part of the object',
      { ...CLAIMS, system: 'erp' },
      { boundToDigest: true, boundToObject: false },
    ],
    ['with claims we do not know', { ...CLAIMS, iss: 'okta', sub: 'x', iat: 5, nbf: 1_763_208_000 }, {}],
    ['that starts to hold at the check', { ...CLAIMS, nbf: Date.UTC(2026, 10, 15, 12) / 1000 }, {}],
    ['with the longest jti', { ...CLAIMS, jti: 'x'.repeat(256) }, { jti: 'x'.repeat(256) }],
    [
      'checked in another zone',
      { ...CLAIMS, checkedAt: '2026-11-15T14:00:00.5009+02:00' },
      { checkedAtMs: Date.UTC(2026, 10, 15, 12, 0, 0, 500) },
    ],
  ])('%s is verified', async (_name, claims, facts) => {
    expect(await verify(await sign(claims))).toMatchObject({ kind: 'verified', ...facts });
  });

  test('of a FAIL says FAIL', async () => {
    expect(await verify(await sign({ ...CLAIMS, result: 'FAIL' }), { result: 'FAIL' })).toMatchObject({
      kind: 'verified',
    });
  });

  test.each(['2026-11-15T12:00:00Z', '2026-11-15T13:00:00+01:00', '2026-11-15T12:00:00.000z'])(
    'matches an item that states the same instant: %s',
    async (checkedAt) => {
      expect(await verify(await sign(CLAIMS), { checkedAt })).toMatchObject({ kind: 'verified' });
    },
  );
});

describe('an attestation is rejected', () => {
  test.each<[string, unknown, RegExp]>([
    ['for another workspace', { ...CLAIMS, aud: 'ws_other' }, /workspace/],
    ['for several workspaces', { ...CLAIMS, aud: [WORKSPACE] }, /workspace/],
    ['for no workspace', without('aud'), /workspace/],
    ['without jti', without('jti'), /`jti`/],
    ['with an empty jti', { ...CLAIMS, jti: '' }, /`jti`/],
    ['with a long jti', { ...CLAIMS, jti: 'x'.repeat(257) }, /`jti`/],
    ['with a jti of another type', { ...CLAIMS, jti: 5 }, /`jti`/],
    ['for another control', { ...CLAIMS, controlId: 'identity' }, /another control/],
    ['for no control', without('controlId'), /another control/],
    ['of another result', { ...CLAIMS, result: 'FAIL' }, /another result/],
    ['of no result', without('result'), /another result/],
    ['without checkedAt', without('checkedAt'), /`checkedAt` with an offset/],
    [
      'with a checkedAt without offset',
      { ...CLAIMS, checkedAt: '2026-11-15T12:00:00' },
      /`checkedAt` with an offset/,
    ],
    ['with a checkedAt that does not exist', { ...CLAIMS, checkedAt: '2026-02-30T12:00:00Z' }, /`checkedAt`/],
    ['with a checkedAt in seconds', { ...CLAIMS, checkedAt: 5 }, /`checkedAt`/],
    ['with an exp that is text', { ...CLAIMS, exp: '1794744000' }, /`exp`/],
    ['with an exp that is null', { ...CLAIMS, exp: null }, /`exp`/],
    ['with a negative exp', { ...CLAIMS, exp: -1 }, /`exp`/],
    ['with an exp beyond all dates', { ...CLAIMS, exp: 8_640_000_000_001 }, /`exp`/],
    ['with an nbf that is text', { ...CLAIMS, nbf: '1' }, /`nbf`/],
    ['with an iat that is text', { ...CLAIMS, iat: '1' }, /`iat`/],
    [
      'that starts to hold after its check',
      { ...CLAIMS, nbf: Date.UTC(2026, 10, 15, 12) / 1000 + 1 },
      /starts to hold/,
    ],
    ['for another intent', { ...CLAIMS, intentDigest: `sha256:${'0'.repeat(64)}` }, /another intent/],
    [
      'for another intent, though of the object',
      { ...CLAIMS, ...OBJECT, intentDigest: `sha256:${'0'.repeat(64)}` },
      /another intent/,
    ],
    ['with a digest that is null', { ...CLAIMS, ...OBJECT, intentDigest: null }, /another intent/],
    ['for another system', { ...without('intentDigest'), ...OBJECT, system: 'crm' }, /another object/],
    ['for another object type', { ...without('intentDigest'), ...OBJECT, objectType: 'x' }, /another object/],
    ['for another object', { ...without('intentDigest'), ...OBJECT, objectRef: 'v-2' }, /another object/],
    ['for the intent, but of another object', { ...CLAIMS, objectRef: 'v-2' }, /another object/],
    [
      'for an object in other case',
      { ...without('intentDigest'), ...OBJECT, system: 'ERP' },
      /another object/,
    ],
    ['for nothing', without('intentDigest'), /bound neither/],
    [
      'for two thirds of an object',
      { ...without('intentDigest'), system: 'erp', objectType: 'vendor' },
      /bound neither/,
    ],
    ['with a claim twice', JSON.stringify(CLAIMS).replace('{', '{"jti":"other",'), /not a JSON object/],
    ['with __proto__', JSON.stringify(CLAIMS).replace('{', '{"__proto__":{},'), /not a JSON object/],
    ['with a list for claims', [CLAIMS], /not a JSON object/],
    ['with null for claims', 'null', /not a JSON object/],
    ['with bytes behind the claims', `${JSON.stringify(CLAIMS)}x`, /not a JSON object/],
    ['with no claims', '', /not a JSON object/],
  ])('%s', async (_name, claims, why) => {
    expect(await verify(await sign(claims as object))).toEqual({
      kind: 'rejected',
      why: expect.stringMatching(why),
    });
  });

  test.each<[string, object | string, RegExp, Signer?]>([
    ['none', { ...headerOf('ed'), alg: 'none' }, /`alg`/],
    ['HS256', { ...headerOf('ed'), alg: 'HS256' }, /`alg`/],
    ['RS256', { ...headerOf('ed'), alg: 'RS256' }, /`alg`/],
    ['eddsa', { ...headerOf('ed'), alg: 'eddsa' }, /`alg`/],
    ['Ed25519', { ...headerOf('ed'), alg: 'Ed25519' }, /`alg`/],
    ['no alg', { kid: 'ed-1', typ: 'writecheck-evidence+jws' }, /`alg`/],
    ['the alg of another key', { ...headerOf('ed'), alg: 'ES256' }, /does not fit its key/],
    ['the key of another alg', { ...headerOf('ec'), alg: 'EdDSA' }, /does not fit its key/, 'ec'],
    ['no typ', { alg: 'EdDSA', kid: 'ed-1' }, /`typ`/],
    ['another typ', { ...headerOf('ed'), typ: 'JWT' }, /`typ`/],
    ['a typ in other case', { ...headerOf('ed'), typ: 'Writecheck-Evidence+JWS' }, /`typ`/],
    ['a typ with its media type', { ...headerOf('ed'), typ: 'application/writecheck-evidence+jws' }, /`typ`/],
    ['no kid', { alg: 'EdDSA', typ: 'writecheck-evidence+jws' }, /names no key/],
    ['a kid of another type', { ...headerOf('ed'), kid: 5 }, /names no key/],
    ['an unknown kid', { ...headerOf('ed'), kid: 'ed-2' }, /does not have/],
    ['crit', { ...headerOf('ed'), crit: [] }, /`crit`/],
    ['jku', { ...headerOf('ed'), jku: 'https://example.com' }, /`jku`/],
    ['jwk', { ...headerOf('ed'), jwk: ED25519_JWK }, /`jwk`/],
    ['x5u', { ...headerOf('ed'), x5u: 'https://example.com' }, /`x5u`/],
    ['x5c', { ...headerOf('ed'), x5c: [] }, /`x5c`/],
    ['b64', { ...headerOf('ed'), b64: false }, /`b64`/],
    ['alg twice', '{"alg":"none","alg":"EdDSA","kid":"ed-1","typ":"writecheck-evidence+jws"}', /header/],
    ['a header that is a list', '[]', /header/],
    ['an empty header', '', /header/],
    ['a signature by another key', headerOf('ed'), /does not verify/, 'ec'],
    ['a signature by another key, the other way', headerOf('ec'), /does not verify/, 'ed'],
  ])('with %s', async (_name, header, why, signer = 'ed') => {
    const attestation = await sign(CLAIMS, header, signer);
    expect(await verify(attestation)).toEqual({ kind: 'rejected', why: expect.stringMatching(why) });
  });

  test('for its claims before its signature is verified', async () => {
    const foreign = await sign({ ...CLAIMS, aud: 'ws_other' }, headerOf('ed'), 'ec');
    expect(await verify(foreign)).toMatchObject({ why: expect.stringContaining('workspace') });
  });

  test('if any of its characters is another', async () => {
    const good = await sign(CLAIMS);
    for (let at = 0; at < good.length; at += 1) {
      const other = good[at] === 'A' ? 'B' : 'A';
      const changed = good.slice(0, at) + other + good.slice(at + 1);
      expect(await verify(changed), `at ${at}`).toMatchObject({ kind: 'rejected' });
    }
  });

  test('if anything is added or missing', async () => {
    const good = await sign(CLAIMS);
    const [header, payload, signature] = good.split('.') as [string, string, string];
    for (const text of [
      '',
      '.',
      '..',
      `${header}.${payload}`,
      `${header}.${payload}.`,
      `.${payload}.${signature}`,
      `${header}..${signature}`,
      `${good}.`,
      `${good}=`,
      `${good}A`,
      ` ${good}`,
      `${good}\n`,
      `${header}=.${payload}.${signature}`,
      `${header}.${payload}.${signature}${signature}`,
      `${header}.${payload}.${signature.slice(0, -4)}`,
      `${header}.${payload}.${base64url(new Uint8Array(64))}`,
    ]) {
      expect(await verify(text), text).toMatchObject({ kind: 'rejected', why: expect.any(String) });
    }
  });

  test('with an HMAC over the public key, as alg confusion would have it', async () => {
    const header = { ...headerOf('ed'), alg: 'HS256' };
    const signed = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(CLAIMS))}`;
    const secret = await crypto.subtle.importKey(
      'raw',
      Buffer.from(ED25519_JWK.x, 'base64url'),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['sign'],
    );
    const mac = new Uint8Array(await crypto.subtle.sign('HMAC', secret, Buffer.from(signed)));
    expect(await verify(`${signed}.${base64url(mac)}`)).toMatchObject({ kind: 'rejected' });
  });

  test('with an ES256 signature in DER', async () => {
    const { createPrivateKey, sign: signNode } = await import('node:crypto');
    const { P256_SECRET } = await import('../../test/keys.ts');
    const signed = `${base64url(JSON.stringify(headerOf('ec')))}.${base64url(JSON.stringify(CLAIMS))}`;
    const key = createPrivateKey({
      key: { kty: 'EC', crv: 'P-256', x: P256_JWK.x, y: P256_JWK.y!, d: P256_SECRET },
      format: 'jwk',
    });
    const der = signNode('sha256', Buffer.from(signed), key);
    expect(await verify(`${signed}.${base64url(der)}`)).toMatchObject({
      kind: 'rejected',
      why: expect.stringContaining('64 bytes'),
    });
    const raw = await signBytes(new TextEncoder().encode(signed), 'ec');
    expect(await verify(`${signed}.${base64url(raw)}`)).toMatchObject({ kind: 'verified' });
  });

  test('if the item says otherwise', async () => {
    const good = await sign(CLAIMS);
    expect(await verify(good, { result: 'FAIL' })).toMatchObject({
      why: expect.stringContaining('another result'),
    });
    for (const checkedAt of [
      '2026-11-15T12:00:01Z',
      '2026-11-15T12:00:00',
      '2026-11-15T12:00:00.0001Z',
      '2026-11-15T12:00:00+01:00',
    ]) {
      expect(await verify(good, { checkedAt })).toMatchObject({
        why: expect.stringContaining('another `checkedAt`'),
      });
    }
    const identity = { ...TARGET, requiredControls: ['identity'] };
    expect(await verify(good, { controlId: 'identity' }, identity)).toMatchObject({
      why: expect.stringContaining('another control'),
    });
  });

  test('if the source is not registered, has other keys or none', async () => {
    const good = await sign(CLAIMS);
    expect(await verify(good, { source: 'nobody' })).toMatchObject({
      why: expect.stringContaining('not registered'),
    });
    expect(await verify(good, { source: 'constructor' })).toMatchObject({
      why: expect.stringContaining('not registered'),
    });
    expect(await verify(good, { source: 'withdrawn' })).toMatchObject({
      why: expect.stringContaining('does not have'),
    });
    expect(await verify(good, { source: 'entra' })).toMatchObject({
      why: expect.stringContaining('does not fit'),
    });
    const asEc = await sign(CLAIMS, { ...headerOf('ec'), kid: 'ed-1' }, 'ec');
    expect(await verify(asEc, { source: 'entra' })).toMatchObject({ kind: 'verified' });
    expect(await verify(asEc)).toMatchObject({ kind: 'rejected' });
  });

  test('if the intent omits a member that the object claims name', async () => {
    const attestation = await sign({ ...without('intentDigest'), ...OBJECT });
    const { objectRef: _, ...rest } = TARGET;
    expect(await verify(attestation, {}, rest)).toMatchObject({
      why: expect.stringContaining('another object'),
    });
  });

  test('if the registered key is not a key', async () => {
    const x = base64url(new Uint8Array(32).fill(255));
    const broken = snapshotOf({ kind: 'EvidenceSource', id: 'broken', keys: { keys: [{ ...P256_JWK, x }] } });
    const attestation = await sign(CLAIMS, headerOf('ec'), 'ec');
    expect(await verify(attestation, { source: 'broken' }, TARGET, broken)).toMatchObject({
      why: expect.stringContaining('does not verify'),
    });
  });
});

describe('only attestations that could matter are verified', () => {
  const POLICY = snapshotOf(
    pack({ other: {} }),
    profile({
      id: 'p',
      match: { system: 'erp' },
      require: ['from-profile'],
      authority: { attestedBy: 'from-authority' },
      when: 'false',
    }),
    profile({ id: 'q', match: { system: 'crm' }, require: ['from-elsewhere'] }),
    { kind: 'Workflow', id: 'w', profiles: ['q'], require: ['from-workflow'] },
  );
  const items = (...ids: string[]) => ids.map((controlId) => ({ ...ITEM, controlId, attestation: 'x.y.z' }));
  const kinds = async (intent: WriteIntent) => {
    const facts = await verifyAttestations({
      intent,
      intentDigest: DIGEST,
      workspace: WORKSPACE,
      snapshot: POLICY,
    });
    return facts.map(({ kind }) => kind);
  };
  const ALL = items('approval', 'from-profile', 'from-authority', 'from-elsewhere', 'from-workflow', 'other');

  test('the controls of the request, of its workflow and of profiles that match', async () => {
    const intent = { ...TARGET, controlEvidence: ALL };
    expect(await kinds(intent)).toEqual(['rejected', 'rejected', 'rejected', 'none', 'none', 'none']);
    expect(await kinds({ ...intent, workflowId: 'w' })).toEqual([
      'rejected',
      'rejected',
      'rejected',
      'rejected',
      'rejected',
      'none',
    ]);
    expect(await kinds({ ...intent, workflowId: 'unknown' })).toEqual([
      'rejected',
      'rejected',
      'rejected',
      'none',
      'none',
      'none',
    ]);
    expect(await kinds({ system: 'other', controlEvidence: ALL })).toEqual(Array(6).fill('none'));
  });

  test('and nothing without an attestation', async () => {
    const plain: WriteIntent = { ...TARGET, controlEvidence: [ITEM, { ...ITEM, controlId: 'other' }] };
    expect(needsVerification(plain, POLICY)).toBe(false);
    expect(await kinds(plain)).toEqual(['none', 'none']);
    expect(needsVerification(TARGET, POLICY)).toBe(false);
    expect(await kinds(TARGET)).toEqual([]);
    expect(needsVerification({ ...TARGET, controlEvidence: items('other') }, POLICY)).toBe(false);
    expect(needsVerification({ ...TARGET, controlEvidence: [ITEM, ...items('approval')] }, POLICY)).toBe(
      true,
    );
    expect(needsVerification({ system: 'erp', controlEvidence: items('from-profile') }, POLICY)).toBe(true);
    expect(needsVerification({ system: 'x', controlEvidence: [ITEM, ...items('other')] }, POLICY)).toBe(
      false,
    );
  });

  test('and at most 16', async () => {
    const good = await sign(CLAIMS);
    const controlEvidence = Array.from({ length: 18 }, () => ({ ...ITEM, attestation: good }));
    const intent = { ...TARGET, controlEvidence: [ITEM, ...controlEvidence] };
    const facts = await verifyAttestations({
      intent,
      intentDigest: DIGEST,
      workspace: WORKSPACE,
      snapshot: SNAPSHOT,
    });
    expect(facts.map(({ kind }) => kind)).toEqual([
      'none',
      ...Array(16).fill('verified'),
      'rejected',
      'rejected',
    ]);
    expect(facts[17]).toMatchObject({ why: expect.stringContaining('more than 16') });
  });
});

test('no reason repeats what the attestation says', async () => {
  const canary = 'canary-4711';
  for (const claims of [
    { ...CLAIMS, aud: canary },
    { ...CLAIMS, jti: [canary] },
    { ...CLAIMS, controlId: canary },
    { ...CLAIMS, objectRef: canary },
  ]) {
    expect(JSON.stringify(await verify(await sign(claims)))).not.toContain(canary);
  }
  expect(JSON.stringify(await verify(await sign(CLAIMS, { ...headerOf('ed'), kid: canary })))).not.toContain(
    canary,
  );
});
