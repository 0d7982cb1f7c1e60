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
  /** Whether somebody may still execute the write on the strength of it. */
  readonly mayExecute: ReceiptCheck;
}

export interface ReceiptQuestion {
  readonly receipt: unknown;
  readonly keys: string;
  readonly workspace: string;
  readonly intent: unknown;
  readonly response: DecisionResponse;
  readonly nowMs: number;
}

/** What is found out before a verifier looks at whether it was an allow and still is one. */
const PROVEN_ALL_THE_SAME: ReadonlySet<string> = new Set(['not_allowed']);

export async function checkReceipt(question: ReceiptQuestion): Promise<ReceiptReading> {
  const { receipt, keys, workspace, intent, response, nowMs } = question;
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
    leaf.decision === response.decision &&
    leaf.evaluatedDecision === response.evaluatedDecision &&
    leaf.reason_code === response.reason_code &&
    leaf.timestamp === response.timestamp;
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
      says: isAuthentic ? 'the digest, made again here from the intent shown, is the one in the log' : '',
    },
    {
      name: 'Decision',
      isGood: isShown,
      says: isShown
        ? 'decision, reason and time in the log are those shown here'
        : 'the log says something else than this page',
    },
  ].filter(({ says }) => says !== '');
  const now = await verifyReceipt({ ...asked, now: nowMs });
  return {
    checks,
    isProven: isAuthentic && isShown,
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
