/** A passkey in software: it creates credentials and signs challenges as a browser with an authenticator does. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export type Algorithm = 'ES256' | 'EdDSA';

/** False statements of a dishonest browser or authenticator. */
export interface Lies {
  readonly type?: string;
  readonly challenge?: string;
  readonly origin?: string;
  readonly crossOrigin?: unknown;
  readonly topOrigin?: string;
  readonly rpId?: string;
  /** Replaces the flags. */
  readonly flags?: number;
  readonly signCount?: number;
  /** Appended to the authenticator data before signing. */
  readonly extra?: Uint8Array;
  /** Signs with another key. */
  readonly otherKey?: boolean;
  readonly userHandle?: string;
  /** Registers a point that is not on the curve. */
  readonly offCurve?: boolean;
}

export interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id?: string };
  readonly user: { readonly id: string };
  readonly pubKeyCredParams: readonly { readonly alg: number }[];
}

export interface RequestOptions {
  readonly challenge: string;
  readonly rpId?: string;
}

interface Credential {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly rpId: string;
  readonly userHandle: string;
  signCount: number;
}

const ALGORITHMS = { ES256: -7, EdDSA: -8 } as const;
export const UP = 0x01;
export const UV = 0x04;
const AT = 0x40;

function b64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

function sha256(bytes: Uint8Array | string): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function cborBytes(bytes: Uint8Array): Buffer {
  const head = bytes.length < 24 ? [0x40 | bytes.length] : bytes.length < 256 ? [0x58, bytes.length] : null;
  return Buffer.concat([
    Buffer.from(head ?? [0x59, bytes.length >> 8, bytes.length & 0xff]),
    Buffer.from(bytes),
  ]);
}

export function coseOf(publicKey: KeyObject): Buffer {
  const jwk = publicKey.export({ format: 'jwk' });
  const x = cborBytes(Buffer.from(jwk.x!, 'base64url'));
  if (jwk.kty === 'OKP') return Buffer.concat([Buffer.from([0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21]), x]);
  const y = cborBytes(Buffer.from(jwk.y!, 'base64url'));
  return Buffer.concat([Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21]), x, Buffer.from([0x22]), y]);
}

function newKeys(algorithm: Algorithm) {
  return algorithm === 'EdDSA'
    ? generateKeyPairSync('ed25519')
    : generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

export class SoftAuthenticator {
  readonly #origin: string;
  readonly #algorithm: Algorithm;
  #credential: Credential | null = null;

  constructor(origin: string, algorithm: Algorithm = 'ES256') {
    this.#origin = origin;
    this.#algorithm = algorithm;
  }

  get credentialId(): string {
    return this.#credential!.id;
  }

  #clientData(type: string, challenge: string, lies: Lies): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? this.#origin,
        crossOrigin: 'crossOrigin' in lies ? lies.crossOrigin : false,
        topOrigin: lies.topOrigin,
      }),
    );
  }

  /** `RegistrationResponseJSON` with attestation `none`. */
  create(options: CreationOptions, lies: Lies = {}) {
    const alg = ALGORITHMS[this.#algorithm];
    if (!options.pubKeyCredParams.some((each) => each.alg === alg)) throw new Error('no common algorithm');
    const { privateKey, publicKey } = newKeys(this.#algorithm);
    const rawId = randomBytes(32);
    const rpId = lies.rpId ?? options.rp.id ?? new URL(this.#origin).hostname;
    this.#credential = { id: b64(rawId), privateKey, rpId, userHandle: options.user.id, signCount: 0 };
    const cose = coseOf(publicKey);
    if (lies.offCurve === true) cose.fill(2, cose.length - 32);
    const authenticatorData = Buffer.concat([
      sha256(rpId),
      Buffer.from([lies.flags ?? UP | UV | AT, 0, 0, 0, 0]),
      Buffer.alloc(16),
      Buffer.from([0, rawId.length]),
      rawId,
      cose,
    ]);
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      cborText('fmt'),
      cborText('none'),
      cborText('attStmt'),
      Buffer.from([0xa0]),
      cborText('authData'),
      cborBytes(authenticatorData),
    ]);
    return {
      id: this.#credential.id,
      rawId: this.#credential.id,
      type: 'public-key' as const,
      authenticatorAttachment: 'platform' as const,
      clientExtensionResults: {},
      response: {
        clientDataJSON: b64(this.#clientData('webauthn.create', options.challenge, lies)),
        attestationObject: b64(attestationObject),
        transports: ['internal' as const],
      },
    };
  }

  /** `AuthenticationResponseJSON` of the credential made last. */
  get(options: RequestOptions, lies: Lies = {}) {
    const credential = this.#credential!;
    credential.signCount += 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(lies.signCount ?? credential.signCount);
    const authenticatorData = Buffer.concat([
      sha256(lies.rpId ?? credential.rpId),
      Buffer.from([lies.flags ?? UP | UV]),
      count,
      lies.extra ?? Buffer.alloc(0),
    ]);
    const clientData = this.#clientData('webauthn.get', options.challenge, lies);
    const signed = Buffer.concat([authenticatorData, sha256(clientData)]);
    const key = lies.otherKey === true ? newKeys(this.#algorithm).privateKey : credential.privateKey;
    return {
      id: credential.id,
      rawId: credential.id,
      type: 'public-key' as const,
      authenticatorAttachment: 'platform' as const,
      clientExtensionResults: {},
      response: {
        clientDataJSON: b64(clientData),
        authenticatorData: b64(authenticatorData),
        signature: b64(sign(this.#algorithm === 'EdDSA' ? null : 'sha256', signed, key)),
        userHandle: lies.userHandle ?? credential.userHandle,
      },
    };
  }

  /** The members that a verdict sends. */
  assertion(challenge: Uint8Array, lies: Lies = {}) {
    const { id, response } = this.get({ challenge: b64(challenge) }, lies);
    const { clientDataJSON, authenticatorData, signature } = response;
    return { id, clientDataJSON, authenticatorData, signature };
  }
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 | text.length]), Buffer.from(text)]);
}
