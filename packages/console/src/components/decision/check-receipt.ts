/** Verifies a receipt in the browser, with the code an executing system would use. */
import type { Answered } from '@writecheck/api/calls';
import type { DecisionResponse } from '@writecheck/contract';
import {
  decodeBase64,
  parseLeaf,
  type ReceiptVerdict,
  verifyExtension,
  verifyReceipt,
} from '@writecheck/ledger';
import { fullMoment } from '../moment.tsx';

type Receipt = Answered<'GET /v1/decisions/{id}/receipt'>;

export interface ReceiptCheck {
  readonly name: string;
  readonly isGood: boolean;
  readonly says: string;
}

export type ReceiptReading = Awaited<ReturnType<typeof checkReceipt>>;

interface ReceiptQuestion {
  readonly receipt: Receipt;
  readonly keys: string;
  readonly workspace: string;
  readonly keyId: string;
  readonly intent: unknown;
  readonly response: DecisionResponse;
  readonly nowMs: number;
  /** The log's newest checkpoint and the proof that it extends the receipt's. */
  readonly today: Today;
}

export interface Today {
  readonly checkpoint: string;
  readonly proof: readonly string[];
}

/** The verifier reports these only after proof and intent have checked out. */
const PROVEN_ALL_THE_SAME: ReadonlySet<string> = new Set(['not_allowed']);

/** The log covers these by a digest of the record's bytes, which only an export contains. */
const UNCOVERED = 'the reason text, control evaluations, evidence, run, and provenance';

export async function checkReceipt(question: ReceiptQuestion) {
  const { receipt, keys, workspace, keyId, intent, response, nowMs, today } = question;
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
  const { index, treeSize, checkpoint } = receipt;
  const extended = isAuthentic
    ? await verifyExtension({ older: checkpoint, newer: today.checkpoint, proof: today.proof, keys })
    : null;
  const checks: ReceiptCheck[] = [
    {
      name: 'Proof',
      isGood: isAuthentic,
      says: isAuthentic
        ? `entry ${count(index + 1)}; the log had ${count(treeSize)} entries then (${fullMoment(new Date(response.timestamp))}) and was signed with the key below`
        : refusal(then),
    },
    {
      name: 'Today’s log',
      isGood: extended?.ok === true,
      says:
        extended === null
          ? ''
          : extended.ok
            ? `this entry is still in today’s log of ${count(extended.newer.size)} entries; nothing before it was changed`
            : extended.message,
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
    /** Whether the log contains this decision exactly as shown. */
    isProven: isAuthentic && isShown && extended?.ok === true,
    /** What the page shows but does not verify against the log. */
    uncovered: UNCOVERED,
    /** Whether the receipt still permits the write. */
    mayExecute: {
      name: 'Permits the write now',
      isGood: now.ok,
      says: now.ok ? `until ${fullMoment(new Date(now.leaf.validUntil ?? ''))}` : refusal(now),
    },
  };
}

function count(entries: number): string {
  return entries.toLocaleString('en');
}

export function refusal(verdict: ReceiptVerdict): string {
  if (verdict.ok) return '';
  // The library's messages stand alone; these follow a "no".
  if (verdict.reason === 'expired') return inWords(`it was ${verdict.message}`);
  if (verdict.reason === 'observed_allow')
    return 'it was allowed in observe mode only; enforced, it would stop';
  return inWords(verdict.message);
}

function inWords(message: string): string {
  return message.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => fullMoment(new Date(at)));
}

function leafOf(receipt: Receipt) {
  const bytes = decodeBase64(receipt.leaf);
  return bytes === null ? null : parseLeaf(bytes);
}
