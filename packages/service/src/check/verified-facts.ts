/** The facts about an intent's attestations: signatures verified, then looked up as used or revoked. */
import {
  type AttestationChecks,
  needsReviewFacts,
  needsVerification,
  type PolicySnapshot,
  type VerificationRequest,
  verifyAttestations,
} from '@writecheck/engine/deciding';
import type { CheckingKeyKind, Store } from '@writecheck/store/port';
import {
  type ApprovalStore,
  type FoundApprovals,
  withReviewFacts,
} from '../features/reviews/look-up-facts.ts';
import type { Asked, Check } from './parse-request.ts';

type FactsStore = Pick<Store, 'attestationStates'> & ApprovalStore;

/** For each check of a request; null if none of them has an attestation to verify. */
export type FactsOfChecks = readonly (readonly AttestationChecks[] | null)[] | null;

/** For `decide` when nothing was verified. */
export const NO_FACTS: readonly AttestationChecks[] = [];

/** Null if there is no attestation to verify, which is the common case and costs no waiting. */
export function verifiedFacts(
  store: FactsStore,
  { intent, digest }: Pick<Check, 'intent' | 'digest'>,
  { workspace, kind: keyKind }: { readonly workspace: string; readonly kind: CheckingKeyKind },
  snapshot: PolicySnapshot,
  approvals: FoundApprovals | null,
  nowMs: number,
): Promise<readonly AttestationChecks[]> | null {
  const namesReviews = needsReviewFacts(intent);
  if (!namesReviews && !needsVerification(intent, snapshot)) return null;
  const verified = verifyAndLookUp(store, { intent, intentDigest: digest, workspace, snapshot });
  if (!namesReviews || approvals === null) return verified;
  const { controlOf } = snapshot;
  const check = { workspace, intentDigest: digest, keyKind, controlOf, nowMs };
  return verified.then((facts) => withReviewFacts(approvals, intent, facts, check));
}

export function verifiedFactsOfAll(
  store: FactsStore,
  { checks, key, context }: Asked,
  snapshot: PolicySnapshot,
  approvals: FoundApprovals | null,
): null | Promise<FactsOfChecks> {
  const facts = checks.map((check) => verifiedFacts(store, check, key, snapshot, approvals, context.nowMs));
  return facts.every((own) => own === null) ? null : Promise.all(facts);
}

async function verifyAndLookUp(
  store: Pick<Store, 'attestationStates'>,
  request: VerificationRequest,
): Promise<readonly AttestationChecks[]> {
  const facts = await verifyAttestations(request);
  const items = request.intent.controlEvidence ?? [];
  const verified = facts.flatMap((fact, i) =>
    fact.kind === 'verified' ? [{ source: items[i]!.source, jti: fact.jti }] : [],
  );
  if (verified.length === 0) return facts;
  const states = await store.attestationStates(request.workspace, verified);
  let next = 0;
  return facts.map((fact) => {
    if (fact.kind !== 'verified') return fact;
    const { usedUp, revoked } = states[next++]!;
    return { ...fact, usedUp: fact.usedUp || usedUp, revoked: fact.revoked || revoked };
  });
}
