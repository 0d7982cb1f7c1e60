/** Verifies a receipt in the browser, with the code an executing system would use. */
import type { DecisionResponse } from '@writecheck/contract';
import { decodeBase64, parseLeaf, type ReceiptVerdict, verifyReceipt } from '@writecheck/ledger';

export interface ReceiptCheck {
  readonly name: string;
  readonly isGood: boolean;
  readonly says: string;
}

export interface ReceiptReading {
  readonly checks: readonly ReceiptCheck[];
  /** Whether the log contains this decision exactly as shown. */
  readonly isProven: boolean;
  /** What the page shows but does not verify against the log. */
  readonly uncovered: string;
  /** Whether the receipt still permits the write. */
  readonly mayExecute: ReceiptCheck;
}

export interface ReceiptQuestion {
  readonly receipt: unknown;
  readonly keys: string;
  readonly workspace: string;
  readonly keyId: string;
  readonly intent: unknown;
  readonly response: DecisionResponse;
  readonly nowMs: number;
}

/** The verifier reports these only after proof and intent have checked out. */
const PROVEN_ALL_THE_SAME: ReadonlySet<string> = new Set(['not_allowed']);

/** The log covers these by a digest of the record's bytes, which only an export contains. */
const UNCOVERED = 'the reason text, control evaluations, evidence, run, and provenance';

export async function checkReceipt(question: ReceiptQuestion): Promise<ReceiptReading> {
  const { receipt, keys, workspace, keyId, intent, response, nowMs } = question;
  const asked = { receipt, intent, keys, workspace };
  const then = await verifyReceipt({
    ...asked,
    now: Date.parse(response.timestamp),
    acceptObserved: true,
    acceptDevelopment: true,
  });
  const isAuthentic = then.ok || PROVEN_ALL_THE_SAME.has(then.reason);
  const leaf = isAuthentic ? leafOf(receipt) : null;
  const isShown =
    leaf !== null &&
    leaf.decision_id === response.decision_id &&
    leaf.audit_id === response.audit_id &&
    leaf.keyId === keyId &&
    leaf.decision === response.decision &&
    leaf.evaluatedDecision === response.evaluatedDecision &&
    leaf.reason_code === response.reason_code &&
    leaf.timestamp === response.timestamp &&
    leaf.policyRef === (response.profileProvenance.policyRef ?? null) &&
    leaf.validUntil === (response.validUntil ?? null);
  const { index, treeSize } = receipt as { readonly index: number; readonly treeSize: number };
  const checks: ReceiptCheck[] = [
    {
      name: 'Proof',
      isGood: isAuthentic,
      says: isAuthentic
        ? `entry ${index + 1} of ${treeSize} in the log; the checkpoint is signed with this service’s published key`
        : refusal(then),
    },
    {
      name: 'Intent',
      isGood: isAuthentic,
      says: isAuthentic
        ? 'system, object, field, operation, workflow, values, authority and metadata match the digest in the log'
        : '',
    },
    {
      name: 'Decision',
      isGood: isShown,
      says: isShown
        ? 'decision, reason code, time, key, policies and expiry match the log'
        : 'the log differs from this page',
    },
  ].filter(({ says }) => says !== '');
  const now = await verifyReceipt({ ...asked, now: nowMs });
  return {
    checks,
    isProven: isAuthentic && isShown,
    uncovered: UNCOVERED,
    mayExecute: {
      name: 'Permits the write now',
      isGood: now.ok,
      says: now.ok ? `until ${now.leaf.validUntil}` : refusal(now),
    },
  };
}

function refusal(verdict: ReceiptVerdict): string {
  return verdict.ok ? '' : verdict.message;
}

function leafOf(receipt: unknown) {
  const bytes = decodeBase64((receipt as { readonly leaf: string }).leaf);
  return bytes === null ? null : parseLeaf(bytes);
}
