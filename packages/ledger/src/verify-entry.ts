/** Verifies that a receipt proves that a log has an entry. The caller judges the content of the entry. */
import { type CheckpointRefusal, openCheckpoint } from './checkpoint.ts';
import { type Entry, parseEntry } from './entry.ts';
import { leafHash } from './merkle-hash.ts';
import { parseReceipt, type ReceiptParts } from './receipt.ts';
import { parseVerifierKeys, type VerifierKey } from './verifier-key.ts';
import { verifyInclusion } from './verify-proof.ts';

export type EntryRefusal =
  | CheckpointRefusal
  | 'invalid_argument'
  | 'malformed_receipt'
  | 'forged_proof'
  | 'log_mismatch';

interface Refused<Reason = EntryRefusal> {
  readonly ok: false;
  readonly reason: Reason;
  readonly message: string;
}

export type EntryVerdict =
  | {
      readonly ok: true;
      readonly entry: Entry;
      readonly index: number;
      readonly treeSize: number;
      readonly signers: readonly VerifierKey[];
    }
  | Refused;

export const NO_KEYS = refuse('invalid_argument', '`keys` must be verifier key lines, at least one');
export const NO_RECEIPT = refuse('malformed_receipt', 'not a receipt of version writecheck.receipt.v1');

export function refuse<Reason extends string>(reason: Reason, message: string): Refused<Reason> {
  return { ok: false, reason, message };
}

/** `keys` are verifier key lines, obtained in advance and never from the receipt's bearer. */
export async function verifyEntry(receipt: unknown, keys: readonly string[] | string): Promise<EntryVerdict> {
  const known = parseVerifierKeys(keys);
  if (known === null) return NO_KEYS;
  const parts = parseReceipt(receipt);
  return parts === null ? NO_RECEIPT : authenticate(parts, known);
}

/** Authenticates the leaf: it is in a log whose checkpoint a known key signed. */
export async function authenticate(
  { leaf, index, treeSize, proof, checkpoint: note }: ReceiptParts,
  keys: readonly VerifierKey[],
): Promise<EntryVerdict> {
  const opened = await openCheckpoint(note, keys);
  if (opened.kind === 'refused') return refuse(opened.reason, opened.message);
  const { checkpoint, signers } = opened;
  if (checkpoint.size !== treeSize)
    return refuse(
      'forged_proof',
      `the proof is for ${treeSize} entries, the checkpoint has ${checkpoint.size}`,
    );
  const claim = { leafHash: leafHash(leaf), index, size: treeSize, proof, root: checkpoint.root };
  if (!verifyInclusion(claim))
    return refuse('forged_proof', `the proof does not lead from entry ${index} to the checkpoint's root`);
  const entry = parseEntry(leaf);
  if (entry === null) return refuse('malformed_receipt', 'the leaf is not an entry in its exact form');
  const { log } = entry.kind === 'decision' ? entry.leaf : entry;
  if (log !== checkpoint.log)
    return refuse('log_mismatch', `the leaf names log \`${log}\`, the checkpoint log \`${checkpoint.log}\``);
  return { ok: true, entry, index, treeSize, signers };
}
