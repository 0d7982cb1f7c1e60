/** Signs what an evidence source found as an evidence item that the service can verify. */
import {
  type DigestInput,
  type EvidenceItem,
  FACTS_BYTES_MAX,
  FACTS_DEPTH_MAX,
  type JsonObject,
} from '@writecheck/contract';
import type { WebCryptoKey } from '@writecheck/ledger';
import { intentDigest } from './snapshot-intent.ts';

/** A private key as a JWK. The members are optional because WebCrypto types its exports that way. */
export interface PrivateJwk {
  readonly kty?: string | undefined;
  readonly crv?: string | undefined;
  readonly x?: string | undefined;
  readonly y?: string | undefined;
  readonly d?: string | undefined;
}

export interface EvidenceToSign {
  /** The private key, Ed25519 or P-256, as WebCrypto or as a JWK. */
  readonly key: WebCryptoKey | PrivateJwk;
  /** The `kid` of its public half among the keys of the registered `EvidenceSource`. */
  readonly kid: string;
  /** The id of that `EvidenceSource`. */
  readonly source: string;
  /** The id of the workspace that will decide. */
  readonly workspace: string;
  readonly controlId: string;
  readonly result: 'PASS' | 'FAIL' | 'REVOKED';
  /** The checked write: the evidence counts only for it. */
  readonly intent: DigestInput;
  /** `object` binds to system, objectType and objectRef instead, for controls that say `bind: object`. */
  readonly bind?: 'intent' | 'object';
  readonly checkedAt?: Date;
  /** If omitted, the evidence has no expiry, and the service accepts it only for a control with a maximum age. */
  readonly expiresAt?: Date;
  /** The facts of the record, for a control with `facts: true`; conditions read them. */
  readonly facts?: JsonObject;
  /** A unique id, by which the evidence can be revoked or used up; random by default. */
  readonly jti?: string;
}

export type SignedEvidence = EvidenceItem & { readonly checkedAt: string; readonly attestation: string };

/** Rejects with a TypeError if the key, the intent or the facts cannot be used: unsigned evidence is not evidence. */
export async function signEvidence(evidence: EvidenceToSign): Promise<SignedEvidence> {
  const { controlId, source, result, kid, workspace, expiresAt, bind = 'intent' } = evidence;
  const { key, alg, parameters } = await signingKey(evidence.key);
  const checkedAt = (evidence.checkedAt ?? new Date()).toISOString();
  const claims = {
    aud: workspace,
    jti: evidence.jti ?? crypto.randomUUID(),
    controlId,
    result,
    checkedAt,
    ...(expiresAt === undefined ? {} : { exp: Math.floor(expiresAt.getTime() / 1000) }),
    ...(bind === 'object'
      ? objectOf(evidence.intent)
      : { intentDigest: await intentDigest(evidence.intent) }),
    ...(evidence.facts === undefined ? {} : { facts: checkedFacts(evidence.facts) }),
  };
  const signed = `${encode({ alg, kid, typ: 'writecheck-evidence+jws' })}.${encode(claims)}`;
  const signature = new Uint8Array(await crypto.subtle.sign(parameters, key, utf8.encode(signed)));
  return { controlId, source, result, checkedAt, attestation: `${signed}.${base64Url(signature)}` };
}

const utf8 = new TextEncoder();
const ED25519 = { name: 'Ed25519' };
const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

async function signingKey(given: WebCryptoKey | PrivateJwk) {
  const algorithm = 'kty' in given ? (given.crv === 'Ed25519' ? ED25519 : P256) : undefined;
  const key =
    algorithm === undefined
      ? (given as CryptoKey)
      : await crypto.subtle.importKey('jwk', given as JsonWebKey, algorithm, false, ['sign']);
  const { name, namedCurve } = key.algorithm as EcKeyAlgorithm;
  if (name === 'Ed25519') return { key, alg: 'EdDSA', parameters: ED25519 };
  if (name === 'ECDSA' && namedCurve === 'P-256') return { key, alg: 'ES256', parameters: P256 };
  throw new TypeError(`a \`${name}\` key cannot sign evidence: use Ed25519 or ECDSA P-256`);
}

function objectOf({ system, objectType, objectRef }: DigestInput) {
  // INVARIANT: all three or none, because a missing one would make the evidence valid for more than was
  // checked.
  for (const part of [system, objectType, objectRef]) {
    if (typeof part !== 'string')
      throw new TypeError('`bind: object` needs system, objectType and objectRef');
  }
  return { system, objectType, objectRef };
}

/** Refused here, because the service would treat the signed item as untrusted without telling the signer. */
function checkedFacts(facts: unknown): unknown {
  const copy: unknown = JSON.parse(JSON.stringify(facts) ?? 'null');
  if (typeof copy !== 'object' || copy === null || Array.isArray(copy))
    throw new TypeError('`facts` must be a JSON object');
  // The copy is as long as its RFC 8785 form, which only has another order.
  if (utf8.encode(JSON.stringify(copy)).length > FACTS_BYTES_MAX)
    throw new TypeError(`\`facts\` must have at most ${FACTS_BYTES_MAX} bytes`);
  if (depthOf(copy) > FACTS_DEPTH_MAX)
    throw new TypeError(`\`facts\` must be at most ${FACTS_DEPTH_MAX} deep`);
  return copy;
}

/** Nested containers, including the outermost. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((deepest, member) => Math.max(deepest, depthOf(member)), 0);
}

function encode(value: unknown): string {
  return base64Url(utf8.encode(JSON.stringify(value)));
}

function base64Url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
