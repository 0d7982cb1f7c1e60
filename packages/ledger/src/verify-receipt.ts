/**
 * For the side that executes the write: does this receipt prove that exactly this write was allowed, in this
 * workspace, and still is? Every refusal has its own reason, and any doubt is a refusal.
 */
import { intentDigest, intentFromValue } from '@writecheck/contract';
import { type CheckpointRefusal, openCheckpoint } from './checkpoint.ts';
import { parseEntry } from './entry.ts';
import { parseLogInstant } from './instant.ts';
import type { Leaf } from './leaf.ts';
import { leafHash } from './merkle-hash.ts';
import { parseReceipt, type ReceiptParts } from './receipt.ts';
import { parseVerifierKeys, type VerifierKey } from './verifier-key.ts';
import { verifyInclusion } from './verify-proof.ts';

export type ReceiptRefusal =
  | CheckpointRefusal
  | 'invalid_argument'
  | 'malformed_receipt'
  | 'malformed_intent'
  | 'forged_proof'
  | 'log_mismatch'
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
  /** The write about to be executed, built from what will be written and not from what the agent claims it asked. */
  readonly intent: unknown;
  /** Verifier key lines, obtained in advance and never from the receipt's bearer. */
  readonly keys: readonly string[] | string;
  /** The workspace whose decisions count here: anybody can get an allow in a workspace of their own. */
  readonly workspace: string;
  /** Epoch milliseconds, a `Date`, or an RFC 3339 text in UTC with milliseconds. */
  readonly now: number | Date | string;
  /** Accept an allow that stands only because what failed is observed and not enforced. */
  readonly acceptObserved?: boolean;
  /** Accept a decision made with a development key. */
  readonly acceptDevelopment?: boolean;
}

/** How far the deciding clock may be ahead of ours before one of them must be wrong. */
const CLOCK_TOLERANCE_MS = 60_000;

type Refused = Extract<ReceiptVerdict, { ok: false }>;

function refuse(reason: ReceiptRefusal, message: string): Refused {
  return { ok: false, reason, message };
}

function epochMsOf(now: unknown): number | null {
  const ms = typeof now === 'string' ? parseLogInstant(now) : now instanceof Date ? now.getTime() : now;
  return typeof ms === 'number' && Number.isFinite(ms) ? ms : null;
}

/** Who vouches for it: the leaf is in a log whose checkpoint a known key signed. */
async function authenticate(
  parts: ReceiptParts,
  keys: readonly VerifierKey[],
): Promise<{ readonly leaf: Leaf; readonly signers: readonly VerifierKey[] } | Refused> {
  const opened = await openCheckpoint(parts.checkpoint, keys);
  if (opened.kind === 'refused') return refuse(opened.reason, opened.message);
  const { checkpoint, signers } = opened;
  const { index, treeSize, proof } = parts;
  if (checkpoint.size !== treeSize) {
    return refuse(
      'forged_proof',
      `the proof is for ${treeSize} entries, the checkpoint has ${checkpoint.size}`,
    );
  }
  const claim = { leafHash: leafHash(parts.leaf), index, size: treeSize, proof, root: checkpoint.root };
  if (!verifyInclusion(claim)) {
    return refuse('forged_proof', `the proof does not lead from entry ${index} to the checkpoint's root`);
  }
  const entry = parseEntry(parts.leaf);
  if (entry === null) return refuse('malformed_receipt', 'the leaf is not an entry in its exact form');
  if (entry.kind !== 'decision') {
    return refuse('not_a_decision', `the entry proven is a ${entry.kind} and not a decision`);
  }
  if (entry.leaf.log !== checkpoint.log) {
    const message = `the leaf names log \`${entry.leaf.log}\`, the checkpoint log \`${checkpoint.log}\``;
    return refuse('log_mismatch', message);
  }
  return { leaf: entry.leaf, signers };
}

/** What it says: this write, here, allowed, and still valid. Null if all of it holds. */
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
  if (keys === null) return refuse('invalid_argument', '`keys` must be verifier key lines, at least one');
  const nowMs = epochMsOf(question.now);
  if (nowMs === null) return refuse('invalid_argument', '`now` must be a time');
  if (typeof question.workspace !== 'string' || question.workspace === '') {
    return refuse('invalid_argument', '`workspace` must name the workspace whose decisions count');
  }
  const parts = parseReceipt(question.receipt);
  if (parts === null) return refuse('malformed_receipt', 'not a receipt of version writecheck.receipt.v1');
  const parsed = intentFromValue(question.intent);
  if (parsed.kind === 'refused') return refuse('malformed_intent', parsed.message);

  const authentic = await authenticate(parts, keys);
  if ('ok' in authentic) return authentic;
  const refusal = judge(authentic.leaf, intentDigest(parsed.intent), nowMs, question);
  if (refusal !== null) return refusal;
  return { ok: true, ...authentic, index: parts.index, treeSize: parts.treeSize };
}
