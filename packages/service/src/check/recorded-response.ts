/** Rebuilds the response of a decision from its record, byte for byte. */
import { decisionResponseText, type Taken } from '@writecheck/contract';
import type { RecordFields } from '@writecheck/ledger/log';
import type { CommitEntry } from '@writecheck/store/port';

/** Has no receipt. `redemption` is set if the check also took the allow, which the record does not say. */
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
 * What an idempotency key keeps instead of the response of one check, which can be rebuilt from its record and
 * is as long.
 */
export function referenceTo({ decision, decision_id }: CommitEntry['leaf']): string {
  return `${REFERENCE}"decision":"${decision}","decision_id":"${decision_id}"}`;
}

export function isReference(kept: Uint8Array): boolean {
  return Buffer.from(kept.subarray(0, REFERENCE.length)).toString('latin1') === REFERENCE;
}
