import { expect, test } from 'vitest';
import { ED25519_JWK } from '../../test/keys.ts';
import { compile } from './compile.ts';

const P = 2n ** 255n - 19n;

/** The y of the points whose order divides 8, and their second spellings if one fits into 255 bits. */
const SMALL_Y = [
  0n,
  1n,
  P - 1n,
  P,
  P + 1n,
  2707385501144840649318225287225658788936804267575313519463743609750303402022n,
  55188659117513257062467267217118295137698188065244968500265048394206261417927n,
];

function encode(y: bigint, sign: 0n | 1n): string {
  const bytes = new Uint8Array(32);
  let rest = y | (sign << 255n);
  for (let index = 0; index < 32; index += 1) {
    bytes[index] = Number(rest & 255n);
    rest >>= 8n;
  }
  return Buffer.from(bytes).toString('base64url');
}

function faultsOf(x: string): readonly string[] {
  const compiled = compile([{ kind: 'EvidenceSource', id: 's', keys: { keys: [{ ...ED25519_JWK, x }] } }]);
  return compiled.kind === 'invalid' ? compiled.faults.map(({ pointer }) => pointer) : [];
}

test.each(SMALL_Y.flatMap((y) => [encode(y, 0n), encode(y, 1n)]))(
  'a key of small order is refused: %s',
  (x) => {
    expect(faultsOf(x)).toEqual(['/keys/keys/0/x']);
  },
);

test('other keys are accepted', () => {
  expect(faultsOf(ED25519_JWK.x)).toEqual([]);
  expect(faultsOf(encode(2n, 0n))).toEqual([]);
});
