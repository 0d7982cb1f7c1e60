/** Signs somebody in with a passkey that the browser finds by itself. */
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  type PublicKeyCredentialRequestOptionsJSON,
  verifyAuthenticationResponse,
} from '@simplewebauthn/server';
import { decodeBase64Url } from '@writecheck/ledger/log';
import type { FoundPerson } from '@writecheck/store/port/people';
import { type Refusal, refuse } from '../../../exchange/refusal.ts';
import { type SignedIn, signIn } from '../join.ts';
import type { PeopleParts } from '../people-parts.ts';
import { partyOf } from '../relying-party.ts';
import { CHALLENGE_MS, isSignInChallenge, newSignInChallenge } from './challenges.ts';
import { member, readClientData } from './read-client-data.ts';

const KIND = 'passkey_sign_in';
/** WebAuthn allows 1,023 bytes. */
const CREDENTIAL_ID = /^[A-Za-z0-9_-]{1,1364}$/;

export async function beginSignIn(
  parts: PeopleParts,
  nowMs: number,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const options = await generateAuthenticationOptions({
    rpID: partyOf(parts).rpId,
    challenge: newSignInChallenge(),
    timeout: CHALLENGE_MS,
    userVerification: 'required',
  });
  const expiresAtMs = nowMs + CHALLENGE_MS;
  await parts.store.keepOneTime({ kind: KIND, key: options.challenge, payload: '', expiresAtMs });
  return options;
}

/** One message for every reason: a stranger does not learn which passkeys exist. */
const REFUSED = refuse('invalid_key', 'no known passkey signed this request; sign in again');

export async function finishSignIn(
  parts: PeopleParts,
  credential: object,
  nowMs: number,
): Promise<SignedIn | Refusal> {
  const { store } = parts;
  const said = readClientData(credential);
  if (said === null || said.isEmbedded || !isSignInChallenge(said.challenge)) return REFUSED;
  // INVARIANT: taken before anything is verified, so that no two attempts share a challenge.
  if ((await store.takeOneTime(KIND, said.challenge, nowMs)) === null) return REFUSED;
  const id = member(credential, 'id');
  const stored = typeof id === 'string' && CREDENTIAL_ID.test(id) ? await store.findCredential(id) : null;
  if (stored === null) return REFUSED;
  const [person] = await store.findPeople(stored.workspace, [stored.personId]);
  if (person?.state !== 'active' || person.epoch !== stored.epoch) return REFUSED;
  if (!isTheirHandle(member(member(credential, 'response'), 'userHandle'), person)) return REFUSED;
  const { origin, rpId } = partyOf(parts);
  let signCount: number;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: credential as AuthenticationResponseJSON,
      expectedChallenge: said.challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      // Judged below: the library would also refuse a counter that stays as it is.
      credential: { id: stored.id, publicKey: bytesOf(stored.publicKey), counter: 0 },
      requireUserVerification: true,
    });
    if (!verified) return REFUSED;
    signCount = authenticationInfo.newCounter;
  } catch {
    return REFUSED;
  }
  // A passkey that is synced between devices has no counter: it stays at 0. If one falls, the passkey was
  // copied.
  if (signCount < stored.signCount) return REFUSED;
  await store.noteSignCount(stored.id, signCount);
  return signIn(parts, person, 'passkey', nowMs);
}

/** Discoverable credentials come with the id given at registration. */
function isTheirHandle(handle: unknown, { id }: FoundPerson): boolean {
  if (handle === undefined || handle === null) return true;
  return typeof handle === 'string' && Buffer.from(handle, 'base64url').toString() === id;
}

function bytesOf(publicKey: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(decodeBase64Url(publicKey)!);
}
