/**
 * Tells the side that executes a write whether this receipt proves that exactly this write was allowed, in this
 * workspace, and still is. Every refusal has its own reason, and any doubt is a refusal.
 */
import { intentDigest, intentFromValue } from '@writecheck/contract';
import { parseLogInstant } from './instant.ts';
import type { Leaf } from './leaf.ts';
import { parseReceipt } from './receipt.ts';
import { parseVerifierKeys, type VerifierKey } from './verifier-key.ts';
import { authenticate, type EntryRefusal, NO_KEYS, NO_RECEIPT, refuse } from './verify-entry.ts';

export type ReceiptRefusal =
  | EntryRefusal
  | 'malformed_intent'
  | 'not_a_decision'
  | 'other_workspace'
  | 'intent_mismatch'
  | 'not_allowed'
  | 'observed_allow'
  | 'development_key'
  | 'not_yet_valid'
  | 'expired';

export type ReceiptVerdict =
  | {
      readonly ok: true;
      readonly leaf: Leaf;
      readonly index: number;
      readonly treeSize: number;
      readonly signers: readonly VerifierKey[];
    }
  | { readonly ok: false; readonly reason: ReceiptRefusal; readonly message: string };

export interface ReceiptQuestion {
  /** The receipt as received. */
  readonly receipt: unknown;
  /** The write about to be executed, built from what will be written and not from the agent's claims. */
  readonly intent: unknown;
  /** Verifier key lines, obtained in advance and never from the receipt's bearer. */
  readonly keys: readonly string[] | string;
  /** The workspace whose decisions count here: anybody can get an allow in their own workspace. */
  readonly workspace: string;
  /** Epoch milliseconds, a `Date`, or an RFC 3339 text in UTC with milliseconds. */
  readonly now: number | Date | string;
  /** Accept an allow that exists only because the failed rule is observed and not enforced. */
  readonly acceptObserved?: boolean;
  /** Accept a decision made with a development key. */
  readonly acceptDevelopment?: boolean;
}

/** How far the deciding clock may be ahead of ours before one of them must be wrong. */
const CLOCK_TOLERANCE_MS = 60_000;

type Refused = Extract<ReceiptVerdict, { ok: false }>;

function epochMsOf(now: unknown): number | null {
  const ms = typeof now === 'string' ? parseLogInstant(now) : now instanceof Date ? now.getTime() : now;
  return typeof ms === 'number' && Number.isFinite(ms) ? ms : null;
}

/** Judges its content: this write, here, allowed, and still valid. Null if all of it holds. */
function judge(leaf: Leaf, digest: string, nowMs: number, question: ReceiptQuestion): Refused | null {
  if (leaf.workspace !== question.workspace) {
    return refuse('other_workspace', 'the decision was made in another workspace');
  }
  if (leaf.intentDigest !== digest) {
    return refuse('intent_mismatch', 'the write differs from the one that was decided on');
  }
  if (leaf.decision !== 'allow') return refuse('not_allowed', `the decision is ${leaf.decision}, not allow`);
  if (leaf.evaluatedDecision !== 'allow' && question.acceptObserved !== true) {
    const message = `allowed only in observe mode: if enforced, it would be ${leaf.evaluatedDecision}`;
    return refuse('observed_allow', message);
  }
  if (leaf.keyKind !== 'live' && question.acceptDevelopment !== true) {
    return refuse('development_key', 'the decision was made with a development key');
  }
  // INVARIANT: a parsed leaf's times parse; NaN would make every comparison below refuse.
  const decidedMs = parseLogInstant(leaf.timestamp) ?? Number.NaN;
  if (!(decidedMs <= nowMs + CLOCK_TOLERANCE_MS)) {
    return refuse('not_yet_valid', `decided at ${leaf.timestamp}, which is in the future`);
  }
  const validUntilMs =
    leaf.validUntil === null ? Number.NaN : (parseLogInstant(leaf.validUntil) ?? Number.NaN);
  if (!(nowMs < validUntilMs)) {
    return refuse('expired', `valid until ${leaf.validUntil ?? 'no time at all'}`);
  }
  return null;
}

export async function verifyReceipt(question: ReceiptQuestion): Promise<ReceiptVerdict> {
  const keys = parseVerifierKeys(question.keys);
  if (keys === null) return NO_KEYS;
  const nowMs = epochMsOf(question.now);
  if (nowMs === null) return refuse('invalid_argument', '`now` must be a time');
  if (typeof question.workspace !== 'string' || question.workspace === '') {
    return refuse('invalid_argument', '`workspace` must name the workspace whose decisions count');
  }
  const parts = parseReceipt(question.receipt);
  if (parts === null) return NO_RECEIPT;
  const parsed = intentFromValue(question.intent);
  if (parsed.kind === 'refused') return refuse('malformed_intent', parsed.message);

  const authentic = await authenticate(parts, keys);
  if (!authentic.ok) return authentic;
  const { entry, ...proven } = authentic;
  if (entry.kind !== 'decision')
    return refuse('not_a_decision', `the entry proven is a ${entry.kind} and not a decision`);
  const refusal = judge(entry.leaf, intentDigest(parsed.intent), nowMs, question);
  return refusal ?? { ...proven, leaf: entry.leaf };
}
