/**
 * The file that a workspace moves in, `writecheck.move.v1`: lines of JSON. The first says which workspace moves
 * where. Then follow its rows, an export of its log as `audit export` writes it, and a signature over
 * everything.
 */
import { createHash, type Hash } from 'node:crypto';
import { isObject } from '@writecheck/contract';
import { parseNote, parseVerifierKeys, verifyNote } from '@writecheck/ledger';
import type { FileRow } from '@writecheck/store/move/read-workspace';
import type { ArrivingWorkspace } from '@writecheck/store/move/write-workspace';

export interface MoveHead extends ArrivingWorkspace {
  readonly kind: 'move';
  readonly version: 'writecheck.move.v1';
  /** Whether the workspace still lives in its old store: such a file is only for testing. */
  readonly isRehearsal: boolean;
}

export type MoveLine =
  | MoveHead
  | ({ readonly kind: 'row' } & FileRow)
  /** A line of the export, unchanged. */
  | { readonly kind: 'log'; readonly text: string }
  | { readonly kind: 'end'; readonly note: string };

/** Covers every line before the last, with their newlines. */
export class MoveDigest {
  readonly #hash: Hash = createHash('sha256');

  add(lines: string): void {
    this.#hash.update(lines);
  }

  finish(): string {
    return `sha256:${this.#hash.digest('hex')}`;
  }
}

/** The text that the last line signs. INVARIANT: no checkpoint begins like this. */
export function movedText({ id, move, to }: MoveHead, digest: string): string {
  return `writecheck workspace move\n${id}\n${move}\n${to}\n${digest}\n`;
}

/** Null for a line that does not belong in this file. */
export function parseMoveLine(text: string): MoveLine | null {
  let value: { readonly kind?: unknown };
  try {
    value = JSON.parse(text) as typeof value;
  } catch {
    return null;
  }
  switch (value?.kind) {
    case 'move':
      return isHead(value) ? value : null;
    case 'row':
      return isRow(value) ? value : null;
    case 'end':
      return typeof (value as { note?: unknown }).note === 'string' ? (value as MoveLine) : null;
    default:
      return { kind: 'log', text };
  }
}

function isHead(value: object): value is MoveHead {
  const head = value as Partial<Record<keyof MoveHead, unknown>>;
  return (
    head.version === 'writecheck.move.v1' &&
    typeof head.id === 'string' &&
    typeof head.name === 'string' &&
    typeof head.to === 'string' &&
    typeof head.liveGranted === 'boolean' &&
    typeof head.isRehearsal === 'boolean' &&
    Number.isSafeInteger(head.createdAtMs) &&
    Number.isSafeInteger(head.move)
  );
}

function isRow(value: object): value is Extract<MoveLine, { readonly kind: 'row' }> {
  const { table, row } = value as Partial<FileRow>;
  return typeof table === 'string' && isObject(row);
}

/** Why the last line does not vouch for the rest; null if it does. */
export async function faultOfEnd(
  note: string,
  head: MoveHead,
  digest: string,
  keys: readonly string[],
): Promise<string | null> {
  if (parseNote(note)?.text !== movedText(head, digest)) return 'it was changed after it was signed';
  const verified = await verifyNote(note, parseVerifierKeys(keys)!);
  if (verified.kind === 'verified') return null;
  return verified.reason === 'unknown_signer'
    ? 'it is signed by none of the keys given'
    : 'its signature does not match';
}
