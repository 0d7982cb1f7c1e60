/** The public keys that an evidence source may sign with: Ed25519 or P-256, never anything private. */
import type { JsonObject, JsonValue } from '@writecheck/contract';
import { flag, list, object, text, word } from './build-shape.ts';
import { quoted } from './faults.ts';
import { isObject, type ReportFault, type Rule } from './shape.ts';
import { name } from './text-shapes.ts';

/** 32 bytes in base64url: 42 full characters and one whose two lowest bits are zero. */
const COORDINATE = text({
  what: '32 bytes in base64url without padding',
  pattern: /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/u,
  maxLength: 43,
  description: '32 bytes in base64url without padding.',
});

/**
 * Every encoding of an Ed25519 point of small order. Such a key has signatures that are valid for any text, so an
 * author who smuggled one in could sign without a secret.
 */
const SMALL_ORDER_POINTS: readonly string[] = [
  '7P_______________________________________38',
  '7P________________________________________8',
  '7f_______________________________________38',
  '7f________________________________________8',
  '7v_______________________________________38',
  '7v________________________________________8',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA',
  'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA',
  'JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU',
  'JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_IU',
  'xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA3o',
  'xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA_o',
];

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const RULES: readonly Rule[] = [
  {
    at: '/crv',
    message: 'kty `OKP` goes with crv `Ed25519`, kty `EC` with crv `P-256`',
    holds: (jwk) => (jwk.kty === 'OKP') === (jwk.crv === 'Ed25519'),
    schema: {
      if: { properties: { kty: { const: 'OKP' } } },
      // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword
      then: { properties: { crv: { const: 'Ed25519' } } },
      else: { properties: { crv: { const: 'P-256' } } },
    },
  },
  {
    at: '',
    message: 'a key of kty `EC` needs `y`, one of kty `OKP` has none',
    holds: (jwk) => (jwk.kty === 'EC') === Object.hasOwn(jwk, 'y'),
    schema: {
      if: { properties: { kty: { const: 'EC' } } },
      // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword
      then: { required: ['y'] },
      else: { not: { required: ['y'] } },
    },
  },
  {
    at: '/x',
    message: 'this is a point of small order, under which anybody can sign; create a new key',
    holds: (jwk) => jwk.kty !== 'OKP' || !SMALL_ORDER_POINTS.includes(jwk.x as string),
    schema: {
      not: {
        required: ['kty', 'x'],
        properties: { kty: { const: 'OKP' }, x: { enum: SMALL_ORDER_POINTS } },
      },
    },
  },
  {
    at: '/alg',
    message: 'alg `ES256` goes with kty `EC`, alg `EdDSA` with kty `OKP`',
    holds: (jwk) => !Object.hasOwn(jwk, 'alg') || (jwk.alg === 'ES256') === (jwk.kty === 'EC'),
    schema: {
      if: { properties: { kty: { const: 'EC' } } },
      // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword
      then: { properties: { alg: { const: 'ES256' } } },
      else: { properties: { alg: { enum: ['EdDSA', 'Ed25519'] } } },
    },
  },
];

export const PUBLIC_JWK = object(
  'a public JWK',
  ['kty', 'crv', 'kid', 'x'],
  {
    kty: word(['OKP', 'EC']),
    crv: word(['Ed25519', 'P-256']),
    kid: name('a key id', 'Named by the `kid` of an attestation.'),
    x: COORDINATE,
    y: COORDINATE,
    alg: word(['EdDSA', 'Ed25519', 'ES256']),
    use: word(['sig']),
    key_ops: list('a list of key operations', word(['verify']), [1, 1]),
    ext: flag(),
  },
  { description: 'A public key: Ed25519 (kty OKP) or P-256 (kty EC).', rules: RULES },
);

export const JWK_LIST = list('a list of public JWKs', PUBLIC_JWK, [0, 64], {
  description: 'Several during a rotation; an empty list withdraws the source.',
});

/** Warns more clearly than "unknown member" would, and never repeats the secret. */
export function reportPrivateMembers(document: JsonObject, report: ReportFault): void {
  const set = document.kind === 'EvidenceSource' ? document.keys : null;
  const keys = isObject(set) ? set.keys : null;
  if (!Array.isArray(keys)) return;
  keys.forEach((jwk: JsonValue, index) => {
    for (const member of PRIVATE_MEMBERS) {
      if (!isObject(jwk) || !Object.hasOwn(jwk, member)) continue;
      const message = `${quoted(member)} is a private part of a key: remove it and replace the key, it is no longer secret`;
      report(`/keys/keys/${index}/${member}`, message);
    }
  });
}
