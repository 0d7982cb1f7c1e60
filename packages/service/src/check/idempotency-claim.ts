/** What a commit keeps under an `Idempotency-Key`, so that the same request gets the same response again. */
import type { CommitEntry, CommitRequest, IdempotencyClaim } from '@writecheck/store/port';
import { problemText } from '../exchange/problem-answer.ts';
import type { Decided } from './decide-checks.ts';
import { type IdempotencyKey, KEPT_MS, KEPT_TAKEN_MS } from './idempotency.ts';
import { type Asked, END_OF_LIST } from './parse-request.ts';
import { endsOverQuota, quotaRefusal } from './quota.ts';

/** `frame` is the one around what was reached. */
export function withClaim(
  request: CommitRequest,
  asked: Asked,
  key: IdempotencyKey,
  decided: readonly Decided[],
  frame: readonly string[],
): CommitRequest {
  const { limit, context, form, isBatch } = asked;
  const refusal = limit === null ? null : quotaRefusal(request.keyKind, limit, context.nowMs);
  const overQuota =
    refusal === null ? '' : isBatch && form ? form.errorText(refusal) : problemText(context, refusal);
  const entries = decided.map(({ entry, draft }): CommitEntry => {
    // The response of an allow that is taken is as long as its record, and is made again from it; other forms are short.
    const committed = entry.redeems === undefined || form !== undefined ? draft.toKeep() : '';
    return { ...entry, answers: { committed, overQuota } };
  });
  const idempotency = claimOf(asked, key, frame, decided, request.freezeNumber);
  return { ...request, entries, idempotency };
}

function claimOf(
  asked: Asked,
  { key, requestDigest }: IdempotencyKey,
  frame: readonly string[],
  decided: readonly Decided[],
  freezeNumber: number,
): IdempotencyClaim {
  const { claim, context } = asked;
  const { nowMs } = context;
  const allows = decided.filter(({ decision }) => decision.decision === 'allow');
  const taken = allows.find(({ entry }) => entry.redeems !== undefined)?.entry.leaf;
  return {
    key,
    requestDigest,
    // A pause with a claim is kept as long: callers come past it to the key under which the allow was taken.
    expiresAtMs: nowMs + (claim === null ? KEPT_MS : KEPT_TAKEN_MS),
    frame,
    ...(endsOverQuota(asked) ? { endOverQuota: END_OF_LIST } : {}),
    replayableWhile:
      allows.length === 0
        ? null
        : {
            // An allow without an end is never replayed, because nobody can tell whether it still holds.
            validUntilMs: Math.min(...allows.map(({ decision }) => decision.validUntil ?? 0)),
            policyRef: allows[0]!.entry.leaf.policyRef,
            restsOn: allows.flatMap(({ entry }) => entry.restsOn),
            freezeNumber,
            ...(taken === undefined || claim === null
              ? {}
              : { taken: { decisionId: taken.decision_id, redeemedAt: taken.timestamp, claim } }),
          },
  };
}
