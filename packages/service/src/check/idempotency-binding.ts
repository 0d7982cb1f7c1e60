/** Builds what a commit keeps under an `Idempotency-Key`, so that the same request gets the same response again. */
import type { CommitRequest, IdempotencyBinding, ReplayableWhile } from '@writecheck/store/port';
import { type IdempotencyKey, KEPT_MS, KEPT_TAKEN_MS } from './idempotency.ts';
import type { ParsedRequest } from './parse-request.ts';

/** `validUntilMs` is that of an allow. */
export function bindingOf(
  { claim, context: { nowMs } }: Pick<ParsedRequest, 'claim' | 'context'>,
  { key, requestDigest }: IdempotencyKey,
  { leaf, restsOn, redeems, freezeNumber }: CommitRequest,
  validUntilMs: number | undefined,
): IdempotencyBinding {
  const { decision, decision_id: decisionId, policyRef, timestamp: redeemedAt } = leaf;
  const taken = redeems === undefined || claim === null ? null : { decisionId, redeemedAt, claim };
  const replayableWhile: ReplayableWhile =
    decision !== 'allow'
      ? null
      : {
          // An allow without an end is never replayed, because nobody can tell whether it still holds.
          validUntilMs: validUntilMs ?? 0,
          policyRef,
          restsOn,
          freezeNumber,
          ...(taken !== null && { taken }),
        };
  return {
    key,
    requestDigest,
    claim,
    expiresAtMs: nowMs + (taken === null ? KEPT_MS : KEPT_TAKEN_MS),
    replayableWhile: JSON.stringify(replayableWhile),
    // The response is made again from the record. If the allow is taken, `replayableWhile` names its decision.
    response: taken === null ? JSON.stringify({ decision, decision_id: decisionId }) : '',
  };
}
