/** Registers the passkey of somebody invited. */
import {
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { encodeBase64Url, parseCoseKey, type RelyingParty } from '@writecheck/ledger';
import { type Refusal, refuse } from '../../refusal.ts';
import type { FoundPerson, NewCredential, People } from '../../store/port/people.ts';
import { joining } from '../join-person.ts';
import { CHALLENGE_MS, newRegistrationChallenge } from './challenges.ts';
import { readClientData } from './read-client-data.ts';

const KIND = 'passkey_registration';
const ALGORITHMS = { ES256: -7, EdDSA: -8 } as const;

const NO_INVITATION = refuse(
  'not_found',
  'this invitation is unknown, was used or has expired; ask an owner of the workspace for a new one',
);

type Store = Pick<People, 'findPersonByInvitation' | 'changePerson' | 'keepOneTime' | 'takeOneTime'>;

/** `hash` is that of the token. */
async function invited(store: Store, hash: string, nowMs: number): Promise<FoundPerson | null> {
  const person = await store.findPersonByInvitation(hash);
  const isGood = person?.invitation?.hash === hash && person.invitation.expiresAtMs > nowMs;
  return isGood && person.state !== 'disabled' ? person : null;
}

export async function beginRegistration(
  store: Store,
  party: RelyingParty,
  hash: string,
  nowMs: number,
): Promise<{ readonly kind: 'options'; readonly options: PublicKeyCredentialCreationOptionsJSON } | Refusal> {
  const person = await invited(store, hash, nowMs);
  if (person === null) return NO_INVITATION;
  const options = await generateRegistrationOptions({
    rpName: 'Writecheck',
    rpID: party.rpId,
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
  await store.keepOneTime({ kind: KIND, key: options.challenge, payload: hash, expiresAtMs });
  return { kind: 'options', options };
}

export async function finishRegistration(
  store: Store,
  party: RelyingParty,
  hash: string,
  credential: object,
  nowMs: number,
): Promise<{ readonly kind: 'registered'; readonly person: FoundPerson } | Refusal> {
  if ((await invited(store, hash, nowMs)) === null) return NO_INVITATION;
  const read = await readRegistration(store, party, hash, credential, nowMs);
  if (typeof read === 'string') return invalid(read);
  // Another change of the person, such as of their groups, is no reason to refuse.
  for (;;) {
    const person = await invited(store, hash, nowMs);
    if (person === null) return NO_INVITATION;
    const change = joining(person, { signIn: 'passkey', credential: read, rpId: party.rpId }, nowMs);
    const outcome = await store.changePerson(change);
    if (outcome.kind === 'changed') {
      return { kind: 'registered', person: { ...change.person, lastSeenAtMs: nowMs, hasPasskey: true } };
    }
    if (outcome.kind !== 'conflict') return invalid('this passkey is registered already');
  }
}

/** The credential, or why it does not verify. */
async function readRegistration(
  store: Store,
  { origin, rpId }: RelyingParty,
  hash: string,
  credential: object,
  nowMs: number,
): Promise<NewCredential | string> {
  const said = readClientData(credential);
  if (said === null) return '`clientDataJSON` cannot be read';
  const begunWith = await store.takeOneTime(KIND, said.challenge, nowMs);
  if (begunWith !== hash) return 'the challenge is unknown, was used or has expired; begin again';
  if (said.isEmbedded) return 'the page was embedded in another one';
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
    const { id, publicKey, counter, transports } = registrationInfo.credential;
    // INVARIANT: only a key that auditors can verify is registered.
    const key = parseCoseKey(publicKey);
    if (key === null) return 'the public key is neither an ES256 nor an Ed25519 key';
    return {
      id,
      publicKey: encodeBase64Url(publicKey),
      algorithm: ALGORITHMS[key.algorithm],
      signCount: counter,
      transports: shortTexts(transports),
      registeredAtMs: nowMs,
    };
  } catch (error) {
    return (error as Error).message;
  }
}

/** The browser's word, which only helps it to find the passkey again. */
function shortTexts(values: unknown): readonly string[] {
  if (!Array.isArray(values)) return [];
  return values.filter((each) => typeof each === 'string' && /^[a-z-]{1,32}$/.test(each)).slice(0, 8);
}

function invalid(reason: string): Refusal {
  return refuse('assertion_invalid', `the passkey was not registered: ${reason}`, [
    { pointer: '/credential', message: reason },
  ]);
}
