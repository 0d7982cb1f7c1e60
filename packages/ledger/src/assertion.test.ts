import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { decodeBase64Url, encodeBase64Url } from '@writecheck/contract';
import { describe, expect, it } from 'vitest';
import { type Algorithm, coseOf, type Lies, SoftAuthenticator, UP, UV } from '../test/soft-authenticator.ts';
import { type Assertion, challengeOf, verifyAssertion } from './assertion.ts';
import { parseCoseKey } from './cose-key.ts';
import { sha256 } from './sha256.ts';
import { batchChallenge, verdictChallenge } from './verdict-statement.ts';

const PARTY = { origin: 'https://writecheck.example.com', rpId: 'writecheck.example.com' };

const STATEMENT = {
  workspace: 'ws_1',
  review: 'rev_1',
  intentDigest: `sha256:${'ab'.repeat(32)}`,
  controls: ['approval'],
  verdict: 'approve',
  by: 'per_1',
  comment: null,
} as const;

const CHALLENGE = verdictChallenge(STATEMENT);

function registered(algorithm: Algorithm = 'ES256') {
  const device = new SoftAuthenticator(PARTY.origin, algorithm);
  const created = device.create({
    challenge: 'AAAA',
    rp: { id: PARTY.rpId },
    user: { id: 'AAAA' },
    pubKeyCredParams: [{ alg: -7 }, { alg: -8 }],
  });
  const object = Buffer.from(created.response.attestationObject, 'base64url');
  // The key ends the authenticator data, which ends the object.
  const length = algorithm === 'ES256' ? 77 : 42;
  return { device, publicKey: object.subarray(-length).toString('base64url') };
}

function reasonFor(lies: Lies, change: (assertion: Assertion) => Assertion = (same) => same) {
  const { device, publicKey } = registered();
  const assertion = change(device.assertion(CHALLENGE, lies));
  return verifyAssertion({ ...PARTY, assertion, challenge: CHALLENGE, publicKey });
}

describe('an assertion', () => {
  it.each<Algorithm>(['ES256', 'EdDSA'])('of %s verifies offline, every time', async (algorithm) => {
    const { device, publicKey } = registered(algorithm);
    // DER lengths vary between signatures.
    for (let times = 1; times <= 40; times += 1) {
      const assertion = device.assertion(CHALLENGE);
      const verdict = await verifyAssertion({ ...PARTY, assertion, challenge: CHALLENGE, publicKey });
      expect(verdict).toEqual({ ok: true, signCount: times });
    }
  });

  it('may omit `crossOrigin`, and may carry members of later versions and extensions', async () => {
    expect(await reasonFor({ crossOrigin: undefined })).toMatchObject({ ok: true });
    expect(await reasonFor({ flags: UP | UV | 0x80, extra: Uint8Array.of(0xa0) })).toMatchObject({
      ok: true,
    });
    expect(await reasonFor({ flags: UP | UV | 0x18 })).toMatchObject({ ok: true });
  });

  it.each<[string, Lies, string]>([
    ['a registration', { type: 'webauthn.create' }, 'webauthn.get'],
    ['another challenge', { challenge: encodeBase64Url(sha256(Uint8Array.of(1))) }, 'another challenge'],
    ['a challenge with padding', { challenge: `${encodeBase64Url(CHALLENGE)}=` }, 'another challenge'],
    ['another origin', { origin: 'https://writecheck.example.com.evil.test' }, 'another origin'],
    ['the origin with a slash', { origin: 'https://writecheck.example.com/' }, 'another origin'],
    ['an embedded page', { crossOrigin: true }, 'embedded'],
    ['`crossOrigin` that is no boolean', { crossOrigin: 'false' }, 'embedded'],
    ['`crossOrigin: null`', { crossOrigin: null }, 'embedded'],
    ['a page with a top origin', { topOrigin: PARTY.origin }, 'embedded'],
    ['another site', { rpId: 'example.com' }, 'another site'],
    ['nobody present', { flags: UV }, 'present'],
    ['nobody verified', { flags: UP }, 'verified'],
    ['bytes behind the data', { extra: Uint8Array.of(0) }, 'malformed'],
    ['extensions that are not there', { flags: UP | UV | 0x80 }, 'malformed'],
    ['credential data', { flags: UP | UV | 0x40 }, 'malformed'],
    ['backed up but not eligible', { flags: UP | UV | 0x10 }, 'malformed'],
    ['another key', { otherKey: true }, 'signature'],
  ])('is refused for %s', async (_, lies, words) => {
    const verdict = await reasonFor(lies);
    expect(verdict).toEqual({ ok: false, reason: expect.stringContaining(words) });
  });

  it('is refused after any change of a byte', async () => {
    const members = ['clientDataJSON', 'authenticatorData', 'signature'] as const;
    for (const algorithm of ['ES256', 'EdDSA'] as const) {
      const { device, publicKey } = registered(algorithm);
      const assertion = device.assertion(CHALLENGE);
      for (const member of members) {
        const bytes = decodeBase64Url(assertion[member])!;
        for (let at = 0; at < bytes.length; at += 1) {
          const changed = bytes.slice();
          changed[at]! ^= 1;
          const forged = { ...assertion, [member]: encodeBase64Url(changed) };
          const verdict = await verifyAssertion({
            ...PARTY,
            assertion: forged,
            challenge: CHALLENGE,
            publicKey,
          });
          expect(verdict.ok, `${algorithm} ${member} byte ${at}`).toBe(false);
        }
        for (const length of [0, bytes.length - 1]) {
          const cut = { ...assertion, [member]: encodeBase64Url(bytes.subarray(0, length)) };
          const verdict = await verifyAssertion({
            ...PARTY,
            assertion: cut,
            challenge: CHALLENGE,
            publicKey,
          });
          expect(verdict.ok, `${algorithm} ${member} cut`).toBe(false);
        }
      }
    }
  });

  it('is refused if the browser sends a member twice', async () => {
    const verdict = await reasonFor({}, (assertion) => {
      const text = Buffer.from(assertion.clientDataJSON, 'base64url').toString();
      const twice = text.replace('{', '{"type":"webauthn.create",');
      return { ...assertion, clientDataJSON: encodeBase64Url(Buffer.from(twice)) };
    });
    expect(verdict).toMatchObject({ ok: false, reason: expect.stringContaining('not a JSON object') });
  });

  it('is refused if a member is not base64url, or the key is of another kind', async () => {
    for (const member of ['clientDataJSON', 'authenticatorData', 'signature'] as const) {
      const verdict = await reasonFor({}, (assertion) => ({
        ...assertion,
        [member]: `${assertion[member]}=`,
      }));
      expect(verdict).toEqual({ ok: false, reason: expect.stringContaining('base64url') });
    }
    const { device } = registered();
    const assertion = device.assertion(CHALLENGE);
    for (const publicKey of ['', '=', 'oA', encodeBase64Url(new Uint8Array(77))]) {
      const verdict = await verifyAssertion({ ...PARTY, assertion, challenge: CHALLENGE, publicKey });
      expect(verdict).toEqual({ ok: false, reason: expect.stringContaining('public key') });
    }
  });
});

describe('an assertion for several verdicts', () => {
  const hashes = [1, 2, 3].map((each) => sha256(Uint8Array.of(each)));
  const statements = hashes.map(encodeBase64Url);

  it('signs the list for each statement in it', () => {
    for (const hash of hashes) expect(challengeOf(hash, { statements })).toEqual(batchChallenge(hashes));
    expect(challengeOf(hashes[0]!, {})).toEqual(hashes[0]);
  });

  it('signs nothing for a statement outside, or with a list that is malformed or too long', () => {
    expect(challengeOf(sha256(Uint8Array.of(9)), { statements })).toBeNull();
    expect(challengeOf(hashes[0]!, { statements: [] })).toBeNull();
    expect(challengeOf(hashes[0]!, { statements: [...statements, 'AAAA'] })).toBeNull();
    expect(challengeOf(hashes[0]!, { statements: [...statements, '='] })).toBeNull();
    expect(challengeOf(hashes[0]!, { statements: new Array(101).fill(statements[0]) })).toBeNull();
  });
});

describe('a public key', () => {
  it('is read as the exact bytes that Node knows', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = parseCoseKey(coseOf(publicKey))!;
    const jwk = {
      kty: 'EC',
      crv: 'P-256',
      x: encodeBase64Url(key.raw.slice(1, 33)),
      y: encodeBase64Url(key.raw.slice(33)),
    };
    expect(createPublicKey({ key: jwk, format: 'jwk' }).equals(publicKey)).toBe(true);
  });

  it('may list its members in any order', () => {
    const cose = coseOf(generateKeyPairSync('ed25519').publicKey);
    const turned = Buffer.concat([
      cose.subarray(0, 1),
      cose.subarray(3, 5),
      cose.subarray(1, 3),
      cose.subarray(5),
    ]);
    expect(parseCoseKey(turned)).toEqual(parseCoseKey(cose));
  });

  it('is refused with a change, an extra or missing member, a long form, or trailing bytes', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const cose = coseOf(publicKey);
    for (let at = 0; at < 10; at += 1) {
      const changed = Buffer.from(cose);
      changed[at]! ^= 1;
      expect(parseCoseKey(changed), `byte ${at}`).toBeNull();
    }
    expect(parseCoseKey(Buffer.concat([cose, Buffer.of(0)]))).toBeNull();
    for (let length = 0; length < cose.length; length += 1) {
      expect(parseCoseKey(cose.subarray(0, length)), `cut at ${length}`).toBeNull();
    }
    const extra = Buffer.concat([Buffer.of(0xa6), cose.subarray(1), Buffer.of(4, 1)]);
    expect(parseCoseKey(extra)).toBeNull();
    const twice = Buffer.concat([Buffer.of(0xa6), cose.subarray(1), Buffer.of(1, 2)]);
    expect(parseCoseKey(twice)).toBeNull();
    const long = Buffer.concat([cose.subarray(0, 1), Buffer.of(0x18, 1), cose.subarray(2)]);
    expect(parseCoseKey(long)).toBeNull();
  });
});
