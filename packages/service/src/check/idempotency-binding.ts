/** Builds what a commit keeps under an `Idempotency-Key`, so that the same request gets the same response again. */
import type { CommitEntry, CommitRequest, IdempotencyBinding, ReplayableWhile } from '@writecheck/store/port';
import { problemText } from '../exchange/problem-answer.ts';
import type { Decided } from './decide-checks.ts';
import { type IdempotencyKey, KEPT_MS, KEPT_TAKEN_MS } from './idempotency.ts';
import type { ParsedRequest } from './parse-request.ts';
import { quotaRefusal } from './quota.ts';
import { referenceTo } from './recorded-response.ts';

export function withBinding(
  request: CommitRequest,
  parsed: ParsedRequest,
  key: IdempotencyKey,
  decided: readonly Decided[],
): CommitRequest {
  const { quota, context, form, isBatch } = parsed;
  const refusal = quota === null ? null : quotaRefusal(request.keyKind, quota, context.nowMs);
  const overQuota =
    refusal === null ? '' : isBatch && form ? form.errorText(refusal) : problemText(context, refusal);
  const entries = decided.map(({ entry, draft }): CommitEntry => {
    // If the allow is redeemed, `replayableWhile` already names its decision.
    const recorded = entry.redeems === undefined ? referenceTo(entry.leaf) : '';
    // Other forms are short, and a batch has the errors of checks over quota between its decisions.
    const committed = form !== undefined || isBatch ? draft.toKeep() : recorded;
    return { ...entry, answers: { committed, overQuota } };
  });
  const idempotency = bindingOf(parsed, key, decided, request.freezeNumber);
  return { ...request, entries, idempotency };
}

function bindingOf(
  { claim, checks, context: { nowMs }, frame }: ParsedRequest,
  { key, requestDigest }: IdempotencyKey,
  decided: readonly Decided[],
  freezeNumber: number,
): IdempotencyBinding {
  const { endOverQuota } = frame;
  const isAllow = ({ decision }: Decided) => decision.decision === 'allow';
  const allows = decided.filter(isAllow);
  const taken = allows.find(({ entry }) => entry.redeems !== undefined)?.entry.leaf;
  const replayableWhile: ReplayableWhile =
    allows.length === 0
      ? null
      : {
          // An allow without an end is never replayed, because nobody can tell whether it still holds.
          validUntilMs: Math.min(...allows.map(({ decision }) => decision.validUntil ?? 0)),
          policyRef: allows[0]!.entry.leaf.policyRef,
          restsOn: allows.flatMap(({ entry }) => entry.restsOn),
          freezeNumber,
          ...(allows.length < checks.length && {
            allowed: decided.flatMap((each, place) => (isAllow(each) ? place : [])),
          }),
          ...(taken === undefined || claim === null
            ? {}
            : { taken: { decisionId: taken.decision_id, redeemedAt: taken.timestamp, claim } }),
        };
  return {
    key,
    requestDigest,
    claim,
    expiresAtMs: nowMs + (taken === undefined ? KEPT_MS : KEPT_TAKEN_MS),
    frame: frame.pieces(decided.length, decided.at(-1)!.decision.decision),
    ...(endOverQuota === undefined ? {} : { endOverQuota }),
    replayableWhile: JSON.stringify(replayableWhile),
  };
}
