/** The response of a recorded decision, made again from its record: the same bytes that were sent. */
import { decisionResponseText, type Taken } from '@writecheck/contract';
import type { RecordFields } from '@writecheck/ledger/log';

/** Without a receipt. `redemption` is of an allow that was taken with its check, which the record does not say. */
export function recordedResponse(record: RecordFields, redemption?: Taken): string {
  const { decision, decisionId, auditId, requestId, traceId, timestamp, intentDigest, warnings } = record;
  return decisionResponseText(decision, {
    decisionId,
    auditId,
    requestId,
    traceId,
    timestampMs: Date.parse(timestamp),
    intentDigest,
    warnings,
    redemption,
  });
}
