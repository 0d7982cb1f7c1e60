/** Passkeys: accepting an invitation, signing in, and signing a verdict. */
import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { encodeBase64, type VerdictStatement, verdictChallenge } from '@writecheck/ledger';
import { call, type Failure, type Outcome } from './api.ts';
import type { Person, Workspace } from './state/session.ts';

export interface SignedIn {
  readonly token: string;
  readonly person: Person;
  readonly workspace: Workspace;
}

type Begun = { readonly options: never };
interface Finished {
  readonly session: { readonly token: string };
  readonly person: Person;
}

const OPTIONS = { options: 'object' } as const;
const FINISHED = { session: 'object', person: 'object' } as const;

export async function signInWithPasskey(): Promise<Outcome<SignedIn>> {
  const begun = await call<Begun>('POST', '/v1/sessions/passkey/begin', {
    key: null,
    json: {},
    has: OPTIONS,
  });
  if (begun.kind === 'failure') return begun;
  const credential = await prompted(() => startAuthentication({ optionsJSON: begun.value.options }));
  if (credential.kind === 'failure') return credential;
  const json = { credential: credential.value };
  return entered(
    await call<Finished>('POST', '/v1/sessions/passkey/finish', { key: null, json, has: FINISHED }),
  );
}

export async function acceptInvitation(token: string): Promise<Outcome<SignedIn>> {
  const begun = await call<Begun>('POST', '/v1/invitations/begin', {
    key: null,
    json: { token },
    has: OPTIONS,
  });
  if (begun.kind === 'failure') return begun;
  const credential = await prompted(() => startRegistration({ optionsJSON: begun.value.options }));
  if (credential.kind === 'failure') return credential;
  const json = { token, credential: credential.value };
  return entered(await call<Finished>('POST', '/v1/invitations/finish', { key: null, json, has: FINISHED }));
}

export interface Assertion {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
}

/** INVARIANT: the challenge is the hash of a statement made from what the page shows. */
export async function signVerdict(statement: VerdictStatement): Promise<Outcome<Assertion>> {
  const challenge = encodeBase64(verdictChallenge(statement))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
  const signed = await prompted(() =>
    startAuthentication({ optionsJSON: { challenge, userVerification: 'required' } }),
  );
  if (signed.kind === 'failure') return signed;
  const { clientDataJSON, authenticatorData, signature } = signed.value.response;
  return { ...signed, value: { id: signed.value.id, clientDataJSON, authenticatorData, signature } };
}

async function entered(finished: Outcome<Finished>): Promise<Outcome<SignedIn>> {
  if (finished.kind === 'failure') return finished;
  const { session, person } = finished.value;
  const me = await call<{ readonly workspace: Workspace }>('GET', '/v1/me', {
    key: session.token,
    has: { workspace: 'object' },
  });
  if (me.kind === 'failure') return me;
  return { ...me, value: { token: session.token, person, workspace: me.value.workspace } };
}

/** The browser rejects if the user cancels or has no passkey here. */
async function prompted<T>(ask: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: 'success', value: await ask(), headers: new Headers() };
  } catch (error) {
    const failure: Failure = {
      kind: 'failure',
      code: 'no_passkey',
      status: 0,
      message: error instanceof Error ? error.message : 'the browser gave no passkey',
      details: [],
      requestId: null,
      retryAfterSeconds: null,
    };
    return failure;
  }
}
