/** Verifies a receipt here, in the browser, with the code an executing system would use. Loaded when it is needed. */
import type { DecisionResponse } from '@writecheck/contract';
import { decodeBase64, parseLeaf, type ReceiptVerdict, verifyReceipt } from '@writecheck/ledger';

export interface ReceiptCheck {
  readonly name: string;
  readonly isGood: boolean;
  readonly says: string;
}

export interface ReceiptReading {
  readonly checks: readonly ReceiptCheck[];
  /** Whether the decision is proven to be in the log as it is shown here. */
  readonly isProven: boolean;
  /** What stands on the page and is not held against the log here. */
  readonly uncovered: string;
  /** Whether somebody may still execute the write on the strength of it. */
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

/** What is found out before a verifier looks at whether it was an allow and still is one. */
const PROVEN_ALL_THE_SAME: ReadonlySet<string> = new Set(['not_allowed']);

/** The log holds one digest over all of it, of the record's own bytes, which are in an export and not on this page. */
const UNCOVERED =
  'the reason in words, each control’s evaluation, the evidence that was sent, the run, and where requirements come from';

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
        ? `entry ${index + 1} of ${treeSize} in a log whose checkpoint is signed by this service’s published key`
        : refusal(then),
    },
    {
      name: 'Intent',
      isGood: isAuthentic,
      says: isAuthentic
        ? 'system, object, field, operation, workflow, values, authority and metadata: their digest, made again here, is the one in the log'
        : '',
    },
    {
      name: 'Decision',
      isGood: isShown,
      says: isShown
        ? 'decision, reason code, time, key, bundle and how long it is good for are in the log as shown here'
        : 'the log says something else than this page',
    },
  ].filter(({ says }) => says !== '');
  const now = await verifyReceipt({ ...asked, now: nowMs });
  return {
    checks,
    isProven: isAuthentic && isShown,
    uncovered: UNCOVERED,
    mayExecute: {
      name: 'Good for a write now',
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
