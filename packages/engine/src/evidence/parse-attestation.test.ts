import { describe, expect, test } from 'vitest';
import { parseAttestation } from './parse-attestation.ts';

const HEADER = { alg: 'EdDSA', kid: 'k', typ: 'writecheck-evidence+jws' };
const SIGNATURE = Buffer.alloc(64, 7);
function part(value: unknown) {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
function compact(header: unknown, claims: unknown = { a: 1 }, signature: Uint8Array = SIGNATURE) {
  return `${part(header)}.${part(claims)}.${Buffer.from(signature).toString('base64url')}`;
}

test('an attestation is split into the signed bytes, the key and the signature', () => {
  const text = compact(HEADER);
  expect(parseAttestation(text)).toEqual({
    kind: 'attestation',
    alg: 'EdDSA',
    kid: 'k',
    claims: { a: 1 },
    signature: new Uint8Array(SIGNATURE),
    signed: new TextEncoder().encode(text.slice(0, text.lastIndexOf('.'))),
  });
  expect(parseAttestation(compact({ ...HEADER, alg: 'ES256' }))).toMatchObject({ alg: 'ES256' });
});

describe('text that is not an attestation is rejected, with the reason', () => {
  const PARTS = 'the attestation is not a compact JWS of three parts';
  const NO_HEADER = 'the header of the attestation is not a JSON object in strict base64url';
  const NO_CLAIMS = 'the claims of the attestation are not a JSON object in strict base64url';
  const NO_SIGNATURE = 'the signature of the attestation is not 64 bytes in strict base64url';
  const NO_ALG = 'the `alg` of the attestation is neither EdDSA nor ES256';
  const NO_TYP = 'the `typ` of the attestation is not writecheck-evidence+jws';
  const NO_KID = 'the attestation names no key in `kid`';
  const whole = compact(HEADER);
  test.each([
    ['', PARTS],
    [whole.slice(0, whole.lastIndexOf('.')), PARTS],
    [`${whole}.`, PARTS],
    [`!${whole}`, NO_HEADER],
    [`e30=${whole.slice(whole.indexOf('.'))}`, NO_HEADER],
    [compact({ ...HEADER, alg: 'none' }), NO_ALG],
    [compact({ ...HEADER, alg: 'HS256' }), NO_ALG],
    [compact({ kid: 'k', typ: HEADER.typ }), NO_ALG],
    [compact({ ...HEADER, typ: 'JWT' }), NO_TYP],
    [compact({ ...HEADER, kid: 1 }), NO_KID],
    [whole.replace(`.${part({ a: 1 })}.`, '.*.'), NO_CLAIMS],
    [compact(HEADER, { a: 1 }, SIGNATURE.subarray(1)), NO_SIGNATURE],
    [compact(HEADER, { a: 1 }, Buffer.alloc(65)), NO_SIGNATURE],
    [whole.slice(0, -1).concat('*'), NO_SIGNATURE],
    ...['crit', 'jku', 'jwk', 'x5u', 'x5c', 'b64'].map((name) => [
      compact({ ...HEADER, [name]: null }),
      `the header \`${name}\` is not allowed in an attestation`,
    ]),
    ...[null, 'x', 1, true, [HEADER]].flatMap((value) => [
      [compact(value), NO_HEADER],
      [compact(HEADER, value), NO_CLAIMS],
    ]),
  ] as [string, string][])('%#', (text, why) => {
    expect(parseAttestation(text)).toEqual({ kind: 'rejected', why });
  });
});
