/**
 * Verifies offline that a passkey signed a challenge: with the public key and nothing from the service. It
 * accepts only what Writecheck requests from authenticators, so it is a fraction of a general WebAuthn library;
 * a test of the service compares it with one.
 */
import { decodeBase64Url, encodeBase64Url, parseStrictJson, STATEMENTS_MAX } from '@writecheck/contract';
import { parseCoseKey, verifyPasskeySignature } from './cose-key.ts';
import { HASH_BYTES, type Sha256, sameBytes, sha256 } from './sha256.ts';
import { batchChallenge } from './verdict-statement.ts';

/** Every member is base64url. */
export interface Assertion {
  /** The credential. */
  readonly id: string;
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
  /** The statements' hashes, if one prompt signed several verdicts. */
  readonly statements?: readonly string[];
}

/** The page that a passkey belongs to. */
export interface RelyingParty {
  /** Such as `https://writecheck.example.com`. */
  readonly origin: string;
  /** The origin's host name. */
  readonly rpId: string;
}

export interface AssertionQuestion extends RelyingParty {
  readonly assertion: Assertion;
  readonly challenge: Uint8Array;
  /** COSE_Key, base64url. */
  readonly publicKey: string;
  readonly sha256?: Sha256;
}

export type AssertionVerdict =
  | { readonly ok: true; readonly signCount: number }
  | { readonly ok: false; readonly reason: string };

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const BACKUP_ELIGIBLE = 0x08;
const BACKED_UP = 0x10;
const HAS_CREDENTIAL = 0x40;
const HAS_EXTENSIONS = 0x80;
const FLAGS_AT = HASH_BYTES;
const FIXED_BYTES = HASH_BYTES + 5;

/**
 * The challenge that the assertion must have signed for this statement: the statement's hash, or that of a list it is
 * in. Null if the assertion names a list without it, or a list that is too long or malformed.
 */
export function challengeOf(
  statementHash: Uint8Array,
  { statements }: Pick<Assertion, 'statements'>,
  hash: Sha256 = sha256,
): Uint8Array | null {
  if (statements === undefined) return statementHash;
  if (statements.length > STATEMENTS_MAX) return null;
  const hashes: Uint8Array[] = [];
  for (const text of statements) {
    const bytes = decodeBase64Url(text);
    if (bytes?.length !== HASH_BYTES) return null;
    hashes.push(bytes);
  }
  return hashes.some((each) => sameBytes(each, statementHash)) ? batchChallenge(hashes, hash) : null;
}

export async function verifyAssertion(question: AssertionQuestion): Promise<AssertionVerdict> {
  const { assertion, publicKey } = question;
  const hash = question.sha256 ?? sha256;
  const clientData = decodeBase64Url(assertion.clientDataJSON);
  const authenticatorData = decodeBase64Url(assertion.authenticatorData);
  const signature = decodeBase64Url(assertion.signature);
  const cose = decodeBase64Url(publicKey);
  if (clientData === null || authenticatorData === null || signature === null) {
    return refused('a member of the assertion is not base64url');
  }
  const reason =
    problemOfClientData(clientData, question) ?? problemOfFlags(authenticatorData, question, hash);
  if (reason !== null) return refused(reason);
  const key = cose === null ? null : parseCoseKey(cose);
  if (key === null) return refused('the public key is neither an ES256 nor an Ed25519 key');
  const signed = new Uint8Array(authenticatorData.length + HASH_BYTES);
  signed.set(authenticatorData);
  signed.set(hash(clientData), authenticatorData.length);
  if (!(await verifyPasskeySignature(key, signed, signature))) {
    return refused('the signature is not from this passkey');
  }
  const view = new DataView(authenticatorData.buffer, authenticatorData.byteOffset);
  return { ok: true, signCount: view.getUint32(FLAGS_AT + 1) };
}

function refused(reason: string): AssertionVerdict {
  return { ok: false, reason };
}

/** Checks what the browser says about the requesting page. */
function problemOfClientData(bytes: Uint8Array, { challenge, origin }: AssertionQuestion): string | null {
  const parsed = parseStrictJson(bytes);
  const { value } = parsed.kind === 'json' ? parsed : { value: null };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return '`clientDataJSON` is not a JSON object';
  }
  const said = value as { readonly [name: string]: unknown };
  if (said.type !== 'webauthn.get') return 'the passkey was not asked to sign (`type` is not `webauthn.get`)';
  if (said.challenge !== encodeBase64Url(challenge)) return 'the passkey signed another challenge';
  if (said.origin !== origin) return 'the passkey signed for another origin';
  if (said.crossOrigin !== undefined && said.crossOrigin !== false) {
    return 'the page was embedded in one of another origin';
  }
  return said.topOrigin === undefined ? null : 'the page was embedded in another page';
}

/** Checks what the authenticator says about itself and the person. */
function problemOfFlags(bytes: Uint8Array, { rpId }: AssertionQuestion, hash: Sha256): string | null {
  const flags = bytes[FLAGS_AT] ?? 0;
  const hasMore = (flags & HAS_EXTENSIONS) !== 0;
  if (
    bytes.length < FIXED_BYTES ||
    hasMore !== bytes.length > FIXED_BYTES ||
    (flags & HAS_CREDENTIAL) !== 0
  ) {
    return '`authenticatorData` is malformed';
  }
  if (!sameBytes(bytes.subarray(0, HASH_BYTES), hash(new TextEncoder().encode(rpId)))) {
    return 'the passkey belongs to another site';
  }
  if ((flags & USER_PRESENT) === 0) return 'nobody was present';
  if ((flags & USER_VERIFIED) === 0) return 'the person was not verified by a PIN or a fingerprint';
  const isImpossible = (flags & BACKED_UP) !== 0 && (flags & BACKUP_ELIGIBLE) === 0;
  return isImpossible ? '`authenticatorData` is malformed' : null;
}
