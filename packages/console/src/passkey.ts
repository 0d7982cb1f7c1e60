/** Signs verdicts with the passkey of the person who decides. */
import { startAuthentication } from '@simplewebauthn/browser';
import type { Assertion } from '@writecheck/api';
import { batchChallenge, encodeBase64Url, type VerdictStatement, verdictChallenge } from '@writecheck/ledger';
import { failureHere, type Reply, success } from './api.ts';
import { wordsFor } from './state/passkey.ts';

/**
 * One prompt for one or several verdicts.
 * INVARIANT: the challenge is made from the hashes of statements that the page built from what it shows.
 */
export async function signVerdicts(statements: readonly VerdictStatement[]): Promise<Reply<Assertion>> {
  const hashes = statements.map((statement) => verdictChallenge(statement));
  const [only] = hashes;
  const isOne = hashes.length === 1 && only !== undefined;
  const challenge = encodeBase64Url(isOne ? only : batchChallenge(hashes));
  const signed = await prompted(() =>
    startAuthentication({ optionsJSON: { challenge, userVerification: 'required' } }),
  );
  if (signed.kind === 'failure') return signed;
  const { clientDataJSON, authenticatorData, signature } = signed.value.response;
  const assertion = { id: signed.value.id, clientDataJSON, authenticatorData, signature };
  const list = hashes.map((hash) => encodeBase64Url(hash));
  return success(isOne ? assertion : { ...assertion, statements: list });
}

/** The browser rejects if the user cancels or has no passkey here. */
async function prompted<T>(ask: () => Promise<T>): Promise<Reply<T>> {
  try {
    return success(await ask());
  } catch (error) {
    return failureHere('no_passkey', wordsFor(error));
  }
}
