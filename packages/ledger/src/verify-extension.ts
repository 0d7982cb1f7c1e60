/** Checks that one signed checkpoint extends another: nothing was removed or rewritten in between. */
import { decodeBase64 } from '@writecheck/contract';
import { type Checkpoint, type CheckpointRefusal, openCheckpoint } from './checkpoint.ts';
import { sameBytes } from './sha256.ts';
import { parseVerifierKeys } from './verifier-key.ts';
import { refuse } from './verify-entry.ts';
import { verifyConsistency } from './verify-proof.ts';

export type ExtensionRefusal =
  | CheckpointRefusal
  | 'invalid_argument'
  | 'other_log'
  | 'rolled_back'
  | 'forked'
  | 'forged_proof';

export type ExtensionVerdict =
  | { readonly ok: true; readonly older: Checkpoint; readonly newer: Checkpoint }
  | { readonly ok: false; readonly reason: ExtensionRefusal; readonly message: string };

export interface ExtensionClaim {
  /** Signed notes. */
  readonly older: string;
  readonly newer: string;
  /** Base64 hashes, as `GET /v1/audit/consistency` returns them. */
  readonly proof: readonly string[];
  readonly keys: readonly string[] | string;
}

export async function verifyExtension(claim: ExtensionClaim): Promise<ExtensionVerdict> {
  const keys = parseVerifierKeys(claim.keys);
  if (keys === null) return refuse('invalid_argument', 'the keys are not all verifier key lines');
  const opened = [await openCheckpoint(claim.older, keys), await openCheckpoint(claim.newer, keys)] as const;
  const [older, newer] = opened;
  if (older.kind === 'refused') return refuse(older.reason, `older: ${older.message}`);
  if (newer.kind === 'refused') return refuse(newer.reason, `newer: ${newer.message}`);
  const [from, to] = [older.checkpoint, newer.checkpoint];
  if (from.log !== to.log) {
    return refuse('other_log', `the checkpoints are of two logs, \`${from.log}\` and \`${to.log}\``);
  }
  if (to.size < from.size) {
    return refuse('rolled_back', `the log shrank from ${from.size} entries to ${to.size}`);
  }
  if (to.size === from.size && !sameBytes(to.root, from.root)) {
    return refuse('forked', `two different logs of ${to.size} entries are signed`);
  }
  const proof = claim.proof.map(decodeBase64);
  const isProven =
    proof.every((hash) => hash !== null) &&
    verifyConsistency({ from: from.size, to: to.size, fromRoot: from.root, toRoot: to.root, proof });
  if (!isProven) {
    return refuse(
      'forged_proof',
      `the proof does not show that the ${to.size} entries begin with the ${from.size}`,
    );
  }
  return { ok: true, older: from, newer: to };
}
