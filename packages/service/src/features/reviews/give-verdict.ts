/** Accepts a verdict: finds the controls it speaks for, then verifies the passkey that signed exactly that. */
import { createHash } from 'node:crypto';
import type { Assertion } from '@writecheck/ledger';
import { type Refusal, refuse } from '../../exchange/refusal.ts';
import { verifyVerdictAssertion } from '../people/passkeys/verify-verdict.ts';
import type { ActResult } from './act-result.ts';
import type { StandingOf } from './author.ts';
import { controlsSpokenFor, type GivenVerdict, judgeVerdict } from './judge-verdict.ts';
import type { Review } from './review.ts';
import type { ReviewParts } from './review-parts.ts';

type SentVerdict = Omit<GivenVerdict, 'signature'> & { readonly assertion: Assertion | null };

type Passkeys = Pick<ReviewParts, 'store' | 'party'>;

/** `review` is settled. */
export async function giveVerdict(
  parts: Passkeys,
  review: Review,
  { assertion, ...sent }: SentVerdict,
  standingOf: StandingOf,
  nowMs: number,
): Promise<ActResult> {
  if (assertion === null) return judgeVerdict(review, { ...sent, signature: null }, standingOf, nowMs);
  const spoken = controlsSpokenFor(review, { ...sent, isAsserted: true }, standingOf);
  if ('kind' in spoken) return spoken;
  const signature = await signatureOf(parts, review, { ...sent, assertion }, spoken);
  return judgeVerdict(review, { ...sent, signature }, standingOf, nowMs);
}

async function signatureOf(
  { store, party }: Passkeys,
  { id, openedAtMs, write: { workspace } }: Review,
  { by, verdict, intentDigest, comment, assertion }: SentVerdict & { readonly assertion: Assertion },
  controls: readonly string[],
): Promise<GivenVerdict['signature']> {
  if (by.kind === 'owner_key') return NO_PASSKEY;
  const verified = await verifyVerdictAssertion({
    party: party(),
    statement: { workspace, review: id, intentDigest, controls, verdict, by: by.id, comment },
    reviewOpenedAtMs: openedAtMs,
    credentials: await store.listCredentials(workspace, by.id),
    assertion,
  });
  if (verified.kind === 'refused') return verified;
  await store.noteSignCount(verified.credential.id, verified.signCount);
  return { kind: 'signed', assertion, mark: markOf(assertion) };
}

const NO_PASSKEY: Refusal = refuse(
  'assertion_invalid',
  'an owner key has no passkey; leave `assertion` out or sign in as a person',
);

const ED25519_BYTES = 64;
const ED25519_R_BYTES = 32;

/**
 * Recognizes an assertion that was sent before. A statement names no moment, so the assertion of a withdrawn verdict
 * would verify again; a thief of a session who finds it in an export must not bring the verdict back.
 *
 * The digest of what was signed and of the signature's first half. The second half is left out: an ECDSA signature is
 * still valid with its second number negated, so it alone does not make an assertion a new one.
 */
function markOf({ authenticatorData, clientDataJSON, signature }: Assertion): string {
  const bytes = Buffer.from(signature, 'base64url');
  // DER: a sequence (2 bytes), then each number with its type and length.
  const first =
    bytes.length === ED25519_BYTES
      ? bytes.subarray(0, ED25519_R_BYTES)
      : bytes.subarray(4, 4 + (bytes[3] ?? 0));
  return createHash('sha256')
    .update(Buffer.from(authenticatorData, 'base64url'))
    .update(Buffer.from(clientDataJSON, 'base64url'))
    .update(first)
    .digest('base64url');
}
