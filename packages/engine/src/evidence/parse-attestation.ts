/** Splits a compact JWS and judges its header; it verifies no signature. */
import { decodeBase64Url, type JsonObject, parseStrictJson } from '@writecheck/contract';
import type { AttestationAlgorithm } from './evidence-keys.ts';

const ATTESTATION_TYPE = 'writecheck-evidence+jws';

interface ParsedAttestation {
  readonly kind: 'attestation';
  readonly alg: AttestationAlgorithm;
  readonly kid: string;
  readonly claims: JsonObject;
  readonly signature: Uint8Array<ArrayBuffer>;
  /** The bytes that the signature covers. */
  readonly signed: Uint8Array<ArrayBuffer>;
}

export interface Rejection {
  readonly kind: 'rejected';
  readonly why: string;
}

/** Headers that let the signer choose the key or change what is signed. */
const REFUSED_HEADERS = ['crit', 'jku', 'jwk', 'x5u', 'x5c', 'b64'];
/** The length of both Ed25519 and P-256 signatures. */
const SIGNATURE_BYTES = 64;
const utf8 = new TextEncoder();

export function parseAttestation(text: string): ParsedAttestation | Rejection {
  const parts = text.split('.');
  if (parts.length !== 3) return reject('the attestation is not a compact JWS of three parts');
  const [headerText, payloadText, signatureText] = parts as [string, string, string];
  const header = decodeObject(headerText);
  if (header === null)
    return reject('the header of the attestation is not a JSON object in strict base64url');
  const refused = REFUSED_HEADERS.find((name) => Object.hasOwn(header, name));
  if (refused !== undefined) return reject(`the header \`${refused}\` is not allowed in an attestation`);
  const { alg, kid, typ } = header;
  if (alg !== 'EdDSA' && alg !== 'ES256')
    return reject('the `alg` of the attestation is neither EdDSA nor ES256');
  if (typ !== ATTESTATION_TYPE) return reject(`the \`typ\` of the attestation is not ${ATTESTATION_TYPE}`);
  if (typeof kid !== 'string') return reject('the attestation names no key in `kid`');
  const claims = decodeObject(payloadText);
  if (claims === null)
    return reject('the claims of the attestation are not a JSON object in strict base64url');
  // It is a buffer of its own, as WebCrypto wants.
  const signature = decodeBase64Url(signatureText) as Uint8Array<ArrayBuffer> | null;
  if (signature?.length !== SIGNATURE_BYTES)
    return reject('the signature of the attestation is not 64 bytes in strict base64url');
  return {
    kind: 'attestation',
    alg,
    kid,
    claims,
    signature,
    signed: utf8.encode(`${headerText}.${payloadText}`),
  };
}

export function reject(why: string): Rejection {
  return { kind: 'rejected', why };
}

function decodeObject(text: string): JsonObject | null {
  const bytes = decodeBase64Url(text);
  if (bytes === null) return null;
  const parsed = parseStrictJson(bytes);
  if (parsed.kind !== 'json') return null;
  const { value } = parsed;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}
