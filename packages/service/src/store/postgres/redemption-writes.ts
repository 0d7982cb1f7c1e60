/** The arguments of `redeem_v2`, and its outcome. */
import type { BuiltSegment } from '../commit/segment-builder.ts';
import { keptRedeemKey, type RedeemOutcome, type Redemption, redeemClaimDigest } from '../port.ts';
import { encodeSegment } from '../segment.ts';
import { placeArguments } from './commit-arguments.ts';
import type { HeldLog } from './log-lease.ts';
import { storableId } from './storable-text.ts';

export function redeemArguments(log: HeldLog, segment: BuiltSegment, redemption: Redemption) {
  const { atMs, restsOn, idempotency } = redemption;
  return {
    ...placeArguments(log, segment),
    p_leaf_hash: segment.leafHashes,
    p_body: encodeSegment(segment.entries),
    p_workspace: redemption.workspace,
    p_decision_id: redemption.decisionId,
    p_key_id: redemption.keyId,
    p_at_ms: atMs,
    p_idempotency_key: keptRedeemKey(redemption),
    // INVARIANT: an allow is valid before its end and not at it; a time that is not a number is never before it.
    p_is_expired: !(atMs < redemption.validUntilMs),
    p_policy_ref: redemption.policyRef,
    p_decided_ms: redemption.decidedAtMs,
    p_sources: restsOn.map(({ source }) => source),
    p_jtis: restsOn.map(storableId),
    p_claimed_key: idempotency?.key ?? null,
    p_claim_digest: redeemClaimDigest(redemption),
    p_claim_expires_ms: idempotency?.expiresAtMs ?? null,
  };
}

export function redeemOutcome(kind: RedeemOutcome['kind'], redeemedAtMs: number): RedeemOutcome {
  return kind === 'redeemed' || kind === 'same' ? { kind, redeemedAtMs } : { kind };
}
