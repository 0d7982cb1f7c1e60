/** Registers the passkey of somebody invited. */
import { setTimeout } from 'node:timers/promises';
import {
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { encodeBase64Url, type PasskeyPublicKey, parseCoseKey } from '@writecheck/ledger';
import type { FoundPerson, NewCredential } from '@writecheck/store/port/people';
import { isRefusal, type Refusal, refuse } from '../../../exchange/refusal.ts';
import { hashOfSecret } from '../../keys/authenticate.ts';
import { findInvited, NO_INVITATION } from '../invitation.ts';
import { joinWithPasskey, type SignedIn } from '../join.ts';
import type { PeopleParts } from '../people-parts.ts';
import { partyOf } from '../relying-party.ts';
import { CHALLENGE_MS, newRegistrationChallenge } from './challenges.ts';
import { readClientData } from './read-client-data.ts';

const KIND = 'passkey_registration';
const ALGORITHMS = { ES256: -7, EdDSA: -8 } as const;

interface Begun {
  readonly kind: 'options';
  readonly options: PublicKeyCredentialCreationOptionsJSON;
  readonly person: FoundPerson;
}

export async function beginRegistration(
  parts: PeopleParts,
  token: string,
  nowMs: number,
): Promise<Begun | Refusal> {
  const person = await findInvited(parts, token, nowMs);
  if (isRefusal(person)) return person;
  const options = await generateRegistrationOptions({
    rpName: 'Writecheck',
    rpID: partyOf(parts).rpId,
    userName: person.email,
    userDisplayName: person.name,
    userID: new TextEncoder().encode(person.id),
    challenge: newRegistrationChallenge(),
    timeout: CHALLENGE_MS,
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: [ALGORITHMS.ES256, ALGORITHMS.EdDSA],
  });
  const expiresAtMs = nowMs + CHALLENGE_MS;
  const payload = hashOfSecret(token);
  await parts.store.keepOneTime({ kind: KIND, key: options.challenge, payload, expiresAtMs });
  return { kind: 'options', options, person };
}

export async function finishRegistration(
  parts: PeopleParts,
  token: string,
  credential: object,
  nowMs: number,
): Promise<SignedIn | Refusal> {
  const person = await findInvited(parts, token, nowMs);
  if (isRefusal(person)) return person;
  const read = await readRegistration(parts, token, credential, nowMs);
  if (typeof read === 'string') return invalid(read);
  return 'kind' in read ? read : joinWithPasskey(parts, token, read, partyOf(parts).rpId, nowMs);
}

/** The credential, or why it does not verify. */
async function readRegistration(
  parts: PeopleParts,
  token: string,
  credential: object,
  nowMs: number,
): Promise<NewCredential | Refusal | string> {
  const said = readClientData(credential);
  if (said === null) return '`clientDataJSON` cannot be read';
  const begunWith = await parts.store.takeOneTime(KIND, said.challenge, nowMs);
  if (begunWith !== hashOfSecret(token)) {
    if (begunWith === null && (await isBeingSpent(parts, token, nowMs))) return NO_INVITATION;
    return 'the challenge is unknown, was used or has expired; begin again';
  }
  if (said.isEmbedded) return 'the page was embedded in another page';
  const { origin, rpId } = partyOf(parts);
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: credential as RegistrationResponseJSON,
      expectedChallenge: said.challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: [ALGORITHMS.ES256, ALGORITHMS.EdDSA],
    });
    if (!verified) return 'the passkey did not sign what it was asked to';
    const { id, publicKey, counter } = registrationInfo.credential;
    // INVARIANT: only a key that auditors can verify is registered.
    const key = parseCoseKey(publicKey);
    if (key === null || !(await isUsable(key)))
      return 'the public key is neither an ES256 nor an Ed25519 key';
    return {
      id,
      publicKey: encodeBase64Url(publicKey),
      algorithm: ALGORITHMS[key.algorithm],
      signCount: counter,
      registeredAtMs: nowMs,
    };
  } catch {
    // The library's own texts are for developers, and change with its versions.
    return `it does not verify for \`${origin}\`; register again there, with a passkey that verifies you`;
  }
}

const TAKEN_WITHIN_MS = [0, 25, 50, 100, 200, 400];

/**
 * Whether another request is spending the invitation with this very challenge: it has taken the challenge and
 * is about to store the joining.
 */
async function isBeingSpent(parts: PeopleParts, token: string, nowMs: number): Promise<boolean> {
  for (const waitMs of TAKEN_WITHIN_MS) {
    await setTimeout(waitMs);
    if (isRefusal(await findInvited(parts, token, nowMs))) return true;
  }
  return false;
}

/** A point that is not on the curve could never sign in. */
async function isUsable({ algorithm, raw }: PasskeyPublicKey): Promise<boolean> {
  const name = algorithm === 'ES256' ? { name: 'ECDSA', namedCurve: 'P-256' } : 'Ed25519';
  return crypto.subtle.importKey('raw', Uint8Array.from(raw), name, false, ['verify']).then(
    () => true,
    () => false,
  );
}

function invalid(reason: string): Refusal {
  return refuse('assertion_invalid', `the passkey was not registered: ${reason}`, [
    { pointer: '/credential', message: reason },
  ]);
}
