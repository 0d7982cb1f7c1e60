/** Signs a verdict with the passkey of the person who decides. */
import { startAuthentication } from '@simplewebauthn/browser';
import { encodeBase64, type VerdictStatement, verdictChallenge } from '@writecheck/ledger';
import type { Failure, Outcome } from './api.ts';
import { wordsFor } from './state/passkey.ts';

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

/** The browser rejects if the user cancels or has no passkey here. */
async function prompted<T>(ask: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: 'success', value: await ask(), headers: new Headers() };
  } catch (error) {
    const failure: Failure = {
      kind: 'failure',
      code: 'no_passkey',
      status: 0,
      message: wordsFor(error),
      details: [],
      requestId: null,
      retryAfterSeconds: null,
    };
    return failure;
  }
}
