/** The response of a recorded decision, made again from its record: the same bytes that were sent. */
import { decisionResponseText, type Taken } from '@writecheck/contract';
import type { RecordFields } from '@writecheck/ledger/log';
import type { CommitEntry } from '@writecheck/store/port';

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

/** No response begins like this. */
const REFERENCE = '{"recorded":true,';

/**
 * What an idempotency key keeps instead of the response of one check, which is as long as the record that it can be made
 * again from.
 */
export function referenceTo({ decision, decision_id }: CommitEntry['leaf']): string {
  return `${REFERENCE}"decision":"${decision}","decision_id":"${decision_id}"}`;
}

export function isReference(kept: Uint8Array): boolean {
  return Buffer.from(kept.subarray(0, REFERENCE.length)).toString('latin1') === REFERENCE;
}
