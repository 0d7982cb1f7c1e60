/**
 * Signing in through the identity provider, in three steps: the browser goes to the provider, comes back with a code,
 * and the tab that began exchanges a code of ours for a session. INVARIANT: only the tab that made the secret can
 * finish. Somebody who is sent a link to another person's sign-in does not end up in that person's session.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FoundPerson } from '@writecheck/store/port/people';
import { type Refusal, refuse, refuseFor } from '../../../exchange/refusal.ts';
import { joinWithIdentity, type SignedIn, signIn } from '../join.ts';
import type { PeopleParts } from '../people-parts.ts';
import type { Identity, Provider, ProviderFailure, SignInSecrets } from './provider.ts';

const STATE = 'oidc_state';
const CODE = 'oidc_code';
/** Time to sign in at the provider. */
const STATE_MS = 10 * 60_000;
/** Time to load the console. */
const CODE_MS = 5 * 60_000;
const RANDOM = /^[A-Za-z0-9_-]{43}$/;
/** The console recognizes the code by it. */
const CODE_PREFIX = 'wck_oidc_';

interface Began extends SignInSecrets {
  readonly workspace: string;
  /** Base64url SHA-256 of the tab's secret. */
  readonly challenge: string;
}

interface Returned {
  readonly workspace: string;
  readonly challenge: string;
  readonly identity: Identity;
}

export interface OidcParts {
  readonly people: PeopleParts;
  readonly provider: Provider;
  /** Writes to the operator's log; the person gets a shorter message. */
  readonly failed: (failure: ProviderFailure) => void;
}

function callbackUrl({ publicUrl }: PeopleParts): string {
  return `${publicUrl()}/v1/sessions/oidc/callback`;
}

function random(): string {
  return randomBytes(32).toString('base64url');
}

/** The address at the provider. */
export async function startSignIn(
  { people, provider, failed }: OidcParts,
  workspace: string,
  challenge: string,
  nowMs: number,
): Promise<string | Refusal> {
  const began: Began = { workspace, challenge, state: random(), nonce: random(), verifier: random() };
  const url = await provider.authorizationUrl(began, callbackUrl(people));
  if (typeof url !== 'string') return refusalFor(url, failed);
  const payload = JSON.stringify(began);
  await people.store.keepOneTime({ kind: STATE, key: began.state, payload, expiresAtMs: nowMs + STATE_MS });
  return url;
}

const OLD_STATE = refuse(
  'invalid_request',
  'this sign-in was finished already, took too long, or was never begun; sign in again',
  [{ pointer: '/state', message: '`state` does not belong to a sign-in that is in progress' }],
);

/** The code with which the tab finishes. `query` is what the provider sent. */
export async function returnFromProvider(
  { people, provider, failed }: OidcParts,
  query: URLSearchParams,
  nowMs: number,
): Promise<string | Refusal> {
  const [state = '', ...more] = query.getAll('state');
  if (more.length > 0 || !RANDOM.test(state)) return OLD_STATE;
  // INVARIANT: taken before the exchange, so that a callback that is replayed finds nothing.
  const payload = await people.store.takeOneTime(STATE, state, nowMs);
  if (payload === null) return OLD_STATE;
  const began = JSON.parse(payload) as Began;
  const returned = new URL(callbackUrl(people));
  returned.search = query.toString();
  const outcome = await provider.identityOf(returned, began);
  if (outcome.kind !== 'identity') return refusalFor(outcome, failed);
  const { workspace, challenge } = began;
  const kept: Returned = { workspace, challenge, identity: outcome.identity };
  const code = CODE_PREFIX + random();
  await people.store.keepOneTime({
    kind: CODE,
    key: hash('sha256', code),
    payload: JSON.stringify(kept),
    expiresAtMs: nowMs + CODE_MS,
  });
  return code;
}

const BAD_CODE = refuse(
  'invalid_key',
  'this code was used already, has expired, or belongs to another tab; sign in again',
);
const NOT_A_MEMBER = refuse(
  'not_a_member',
  'the identity provider signed you in, but nobody with your verified address was invited to this workspace; ask an owner',
);

export async function finishOidc(
  people: PeopleParts,
  code: string,
  secret: string,
  nowMs: number,
): Promise<SignedIn | Refusal> {
  const payload = await people.store.takeOneTime(CODE, hash('sha256', code), nowMs);
  if (payload === null) return BAD_CODE;
  const { workspace, challenge, identity } = JSON.parse(payload) as Returned;
  const actual = Buffer.from(hash('sha256', secret, 'base64url'));
  const expected = Buffer.from(challenge);
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return BAD_CODE;
  const person = await memberFor(people, workspace, identity);
  if (person === null) return NOT_A_MEMBER;
  if (person.state === 'active') return signIn(people, person, 'oidc', nowMs);
  const { issuer, subject } = identity;
  return joinWithIdentity(people, person, { issuer, subject }, nowMs);
}

/** INVARIANT: an address counts once, for somebody invited, and only if the provider verified it. */
async function memberFor(
  { store }: PeopleParts,
  workspace: string,
  { issuer, subject, verifiedEmail }: Identity,
): Promise<FoundPerson | null> {
  const known = await store.findPersonByIdentity(workspace, issuer, subject);
  if (known !== null) return known.state === 'disabled' ? null : known;
  const invited = verifiedEmail === null ? null : await store.findPersonByEmail(workspace, verifiedEmail);
  return invited?.state === 'invited' ? invited : null;
}

const PROVIDER_DOWN: Refusal = refuseFor(
  30_000,
  'provider_unavailable',
  'the identity provider cannot be reached; sign in with a passkey or an owner key, or try again later',
);

function refusalFor(failure: ProviderFailure, failed: OidcParts['failed']): Refusal {
  failed(failure);
  return failure.kind === 'unavailable'
    ? PROVIDER_DOWN
    : refuse('invalid_key', `the identity provider did not sign you in: ${failure.reason}`);
}
