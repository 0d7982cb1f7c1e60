/** What a redemption gives to the one statement that makes it, and what its outcome means. */
import { redemptionBytes } from '@writecheck/ledger';
import { keptRedeemKey, type RedeemOutcome, type Redemption, redeemClaimDigest } from '../port.ts';
import { type BuiltSegment, type NewEntry, nodesOf } from './build-segment.ts';
import { storableId } from './storable-text.ts';

export const redemptionEntry = (log: string, redemption: Redemption): NewEntry => {
  const { decisionId, workspace, keyId, keyKind, intentDigest, atMs } = redemption;
  const leaf = redemptionBytes({
    ...{ kind: 'redemption', log, decision_id: decisionId, workspace, keyId, keyKind, intentDigest },
    timestamp: new Date(atMs).toISOString(),
  });
  return { leaf, atMs };
};

export const redeemValues = (redemption: Redemption, segment: BuiltSegment): readonly unknown[] => {
  const { workspace, decisionId, keyId, atMs, policyRef, decidedAtMs, restsOn, idempotency } = redemption;
  return [
    ...[segment.leafHashes, segment.body, ...nodesOf(segment)],
    ...[workspace, decisionId, keyId, atMs, keptRedeemKey(redemption)],
    // INVARIANT: an allow is good before its end and not at it; a time that is no number is never before.
    ...[!(atMs < redemption.validUntilMs), policyRef, decidedAtMs],
    ...[restsOn.map(({ source }) => source), restsOn.map(storableId)],
    ...[idempotency?.key ?? null, redeemClaimDigest(redemption), idempotency?.expiresAtMs ?? null],
  ];
};

export const redeemOutcome = (kind: RedeemOutcome['kind'], redeemedAtMs: number): RedeemOutcome =>
  kind === 'redeemed' || kind === 'same' ? { kind, redeemedAtMs } : { kind };
