/** Judges the passkey assertion that comes with a verdict. */
import {
  type Assertion,
  challengeOf,
  type RelyingParty,
  type VerdictStatement,
  verdictChallenge,
  verifyAssertion,
} from '@writecheck/ledger';
import type { StoredCredential } from '@writecheck/store/port/people';
import { sha256 } from '@writecheck/store/sha256';
import { type Refusal, refuse } from '../../../exchange/refusal.ts';

/** A passkey of the verdict's author, as stored. */
type VerdictCredential = Pick<StoredCredential, 'id' | 'publicKey' | 'registeredAtMs'>;

interface VerdictAssertionQuestion<C extends VerdictCredential> {
  readonly party: RelyingParty;
  /** Built from the review and the verdict, never from what the caller sent along with the assertion. */
  readonly statement: VerdictStatement;
  readonly reviewOpenedAtMs: number;
  /** Those of the verdict's author that are in force. */
  readonly credentials: readonly C[];
  readonly assertion: Assertion;
}

interface AssertedVerdict<C extends VerdictCredential> {
  readonly kind: 'asserted';
  readonly credential: C;
  readonly signCount: number;
}

/**
 * INVARIANT: the credential is one that the person registered before the review was opened. Otherwise an
 * owner could reset somebody, register a passkey in their name, and approve a write that is already waiting.
 */
export async function verifyVerdictAssertion<C extends VerdictCredential>(
  question: VerdictAssertionQuestion<C>,
): Promise<AssertedVerdict<C> | Refusal> {
  const { party, statement, assertion } = question;
  const credential = question.credentials.find(({ id }) => id === assertion.id);
  if (credential === undefined) return invalid('it was not made with one of your passkeys');
  if (credential.registeredAtMs >= question.reviewOpenedAtMs) {
    return invalid('the passkey was registered after the review was opened');
  }
  const challenge = challengeOf(verdictChallenge(statement, sha256), assertion, sha256);
  if (challenge === null) return invalid('the list of statements does not contain this verdict');
  const { publicKey } = credential;
  const verdict = await verifyAssertion({ ...party, assertion, challenge, publicKey, sha256 });
  return verdict.ok
    ? { kind: 'asserted', credential, signCount: verdict.signCount }
    : invalid(verdict.reason);
}

function invalid(reason: string): Refusal {
  return refuse('assertion_invalid', `the assertion does not verify: ${reason}`, [
    { pointer: '/assertion', message: reason },
  ]);
}
