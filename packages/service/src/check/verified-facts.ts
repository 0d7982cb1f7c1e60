/** The facts about an intent's attestations: signatures verified, then looked up as used or revoked. */
import type { WriteIntent } from '@writecheck/contract';
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
import type { ParsedRequest } from './parse-request.ts';

type FactsStore = Pick<Store, 'attestationStates'> & ApprovalStore;

/** Passed to `decide` if nothing was verified. */
export const NO_FACTS: readonly AttestationChecks[] = [];

/** Whether something about its evidence must be verified or looked up. */
export function needsFacts(intent: WriteIntent, snapshot: PolicySnapshot): boolean {
  return needsReviewFacts(intent) || needsVerification(intent, snapshot);
}

export async function verifiedFacts(
  store: FactsStore,
  { intent, digest }: Pick<ParsedRequest, 'intent' | 'digest'>,
  { workspace, kind: keyKind }: { readonly workspace: string; readonly kind: CheckingKeyKind },
  snapshot: PolicySnapshot,
  approvals: FoundApprovals | null,
  nowMs: number,
): Promise<readonly AttestationChecks[]> {
  if (!needsFacts(intent, snapshot)) return NO_FACTS;
  const verified = await verifyAndLookUp(store, { intent, intentDigest: digest, workspace, snapshot });
  if (approvals === null || !needsReviewFacts(intent)) return verified;
  const { controlOf } = snapshot;
  const check = { workspace, intentDigest: digest, keyKind, controlOf, nowMs };
  return withReviewFacts(approvals, intent, verified, check);
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
