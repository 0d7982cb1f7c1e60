/** Checkpoints (C2SP tlog-checkpoint): the signed statement of a log's name, size and root. */
import { decodeBase64, encodeBase64 } from '@writecheck/contract';
import { isLogName } from './leaf.ts';
import { HASH_BYTES } from './sha256.ts';
import { verifyNote } from './signed-note.ts';
import type { VerifierKey } from './verifier-key.ts';

const ORIGIN_START = 'writecheck/';

/** The first line of a log's checkpoints. */
export function originOf(log: string): string {
  return `${ORIGIN_START}${log}`;
}

/** Null for an origin that is not one of our logs. */
export function logOfOrigin(origin: string): string | null {
  const log = origin.slice(ORIGIN_START.length);
  return origin.startsWith(ORIGIN_START) && isLogName(log) ? log : null;
}

export interface Checkpoint {
  readonly log: string;
  readonly size: number;
  readonly root: Uint8Array;
}

/** The text to sign. */
export function checkpointText({ log, size, root }: Checkpoint): string {
  return `${originOf(log)}\n${size}\n${encodeBase64(root)}\n`;
}

/**
 * Null unless it is the text of a checkpoint of one of our logs. Extension lines, which the format allows, are skipped.
 */
export function parseCheckpointText(text: string): Checkpoint | null {
  if (!text.endsWith('\n')) return null;
  const lines = text.slice(0, -1).split('\n');
  const [origin, size, encodedRoot] = lines;
  if (origin === undefined || size === undefined || encodedRoot === undefined) return null;
  if (lines.some((line) => line === '') || !/^(0|[1-9][0-9]*)$/.test(size)) return null;
  const log = logOfOrigin(origin);
  const root = decodeBase64(encodedRoot);
  if (log === null || root === null || root.length !== HASH_BYTES) return null;
  return Number.isSafeInteger(Number(size)) ? { log, size: Number(size), root } : null;
}

export type CheckpointRefusal = 'malformed_checkpoint' | 'unknown_signer' | 'bad_signature';

export type OpenedCheckpoint =
  | { readonly kind: 'checkpoint'; readonly checkpoint: Checkpoint; readonly signers: readonly VerifierKey[] }
  | { readonly kind: 'refused'; readonly reason: CheckpointRefusal; readonly message: string };

/** The only way from a received note to a trusted checkpoint. */
export async function openCheckpoint(note: string, keys: readonly VerifierKey[]): Promise<OpenedCheckpoint> {
  const verified = await verifyNote(note, keys);
  if (verified.kind === 'refused') {
    switch (verified.reason) {
      case 'malformed_note':
        return {
          kind: 'refused',
          reason: 'malformed_checkpoint',
          message: 'the checkpoint is not a signed note',
        };
      case 'unknown_signer':
        return {
          kind: 'refused',
          reason: 'unknown_signer',
          message: 'the checkpoint is signed by none of the keys given',
        };
      case 'bad_signature':
        return {
          kind: 'refused',
          reason: 'bad_signature',
          message: 'the signature of the checkpoint does not match its text',
        };
    }
  }
  const checkpoint = parseCheckpointText(verified.text);
  if (checkpoint === null) {
    const message = 'the signed text is not a checkpoint of a writecheck log';
    return { kind: 'refused', reason: 'malformed_checkpoint', message };
  }
  return { kind: 'checkpoint', checkpoint, signers: verified.signers };
}
