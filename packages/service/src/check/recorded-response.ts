/** Rebuilds the response of a decision from its record, byte for byte. */
import { decisionResponseText, type Taken } from '@writecheck/contract';
import type { RecordFields } from '@writecheck/ledger/log';

/** `redemption` is set if the check also took the allow, which the record does not say. */
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
