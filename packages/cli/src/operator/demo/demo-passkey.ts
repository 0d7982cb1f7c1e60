/** A passkey in software, for the reviewers of the demo week; its key is gone once the week is made up. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const ATTESTED = 0x40;

/** The map of an Ed25519 key in COSE, up to the key itself. */
const COSE_ED25519 = Buffer.from('a4010103272006215820', 'hex');
/** `{"fmt": "none", "attStmt": {}, "authData": …}` in CBOR, up to the length of the data, which takes two bytes. */
const ATTESTATION = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex');

export class DemoPasskey {
  readonly #keys = generateKeyPairSync('ed25519');
  readonly #rawId = randomBytes(32);
  readonly #origin: string;
  readonly #userHandle: string;
  #signCount = 0;

  /** `userHandle` is the `user.id` of the service's options for the registration. */
  constructor(origin: string, userHandle: string) {
    this.#origin = origin;
    this.#userHandle = userHandle;
  }

  /** `RegistrationResponseJSON`. */
  register(challenge: string) {
    const { x } = this.#keys.publicKey.export({ format: 'jwk' });
    const data = Buffer.concat([
      this.#head(USER_PRESENT | USER_VERIFIED | ATTESTED),
      Buffer.alloc(16),
      Buffer.from([0, this.#rawId.length]),
      this.#rawId,
      COSE_ED25519,
      Buffer.from(x!, 'base64url'),
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(data.length);
    return this.#credential({
      clientDataJSON: this.#clientData('webauthn.create', challenge),
      attestationObject: Buffer.concat([ATTESTATION, length, data]).toString('base64url'),
      transports: ['internal'],
    });
  }

  /** `AuthenticationResponseJSON`. */
  signIn(challenge: string) {
    const { id: _, ...response } = this.sign(challenge);
    return this.#credential({ ...response, userHandle: this.#userHandle });
  }

  /** The members that a verdict sends. */
  sign(challenge: string) {
    this.#signCount += 1;
    const data = this.#head(USER_PRESENT | USER_VERIFIED);
    const clientDataJSON = this.#clientData('webauthn.get', challenge);
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return {
      id: this.#rawId.toString('base64url'),
      clientDataJSON,
      authenticatorData: data.toString('base64url'),
      signature: sign(null, signed, this.#keys.privateKey).toString('base64url'),
    };
  }

  #credential(response: object) {
    const id = this.#rawId.toString('base64url');
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }

  /** The authenticator data: the site, the flags and the signature count. */
  #head(flags: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.#signCount);
    return Buffer.concat([sha256(new URL(this.#origin).hostname), Buffer.from([flags]), count]);
  }

  #clientData(type: string, challenge: string): string {
    const data = { type, challenge, origin: this.#origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(data)).toString('base64url');
  }
}

function sha256(bytes: Uint8Array | string): Buffer {
  return createHash('sha256').update(bytes).digest();
}
