/** Verifies the whole file of a move before any of it is written. */
import { linesOf } from '@writecheck/audit';
import { CommandFailure } from '@writecheck/contract/command';
import {
  decodeBase64,
  type ExportVerdict,
  ExportVerifier,
  parseEntry,
  parseExportLine,
} from '@writecheck/ledger';
import { sha256 } from '@writecheck/store/sha256';
import { faultOfEnd, MoveDigest, type MoveHead, parseMoveLine } from './move-file.ts';

export interface VerifiedMove {
  readonly head: MoveHead;
  readonly digest: string;
  /** The number of rows by table. */
  readonly rows: ReadonlyMap<string, number>;
  /** The checkpoint of each log, signed by its origin. */
  readonly checkpoints: ReadonlyMap<string, string>;
  readonly verdict: Extract<ExportVerdict, { readonly ok: true }>;
}

/** Throws `CommandFailure` for a file that is cut, changed, or signed by somebody else. */
export async function verifyMove(file: string, keys: readonly string[]): Promise<VerifiedMove> {
  const refuse = (why: string): CommandFailure =>
    new CommandFailure(`\`${file}\` is refused, nothing was changed: ${why}`);
  const digest = new MoveDigest();
  const rows = new Map<string, number>();
  const checkpoints = new Map<string, string>();
  const verifier = new ExportVerifier({ keys, sha256 });
  let head: MoveHead | null = null;
  let isSealed = false;
  let end: string | null = null;
  for await (const { text, isWhole } of linesOf(file, 'verifying')) {
    const line = parseMoveLine(text);
    if (line === null || end !== null || (head === null) !== (line.kind === 'move'))
      throw refuse(
        head === null ? 'it is not the file of a move' : 'it holds a line that does not belong there',
      );
    if (line.kind === 'end') {
      end = isWhole ? line.note : null;
      continue;
    }
    digest.add(`${text}\n`);
    if (line.kind === 'move') head = line;
    if (line.kind === 'row') rows.set(line.table, (rows.get(line.table) ?? 0) + 1);
    if (line.kind !== 'log') continue;
    await verifier.push(text);
    if (verifier.fault !== null) break;
    const exported = parseExportLine(text)!;
    if (exported.kind === 'header')
      for (const { log, checkpoint } of exported.logs) checkpoints.set(log, checkpoint);
    const entry = exported.kind === 'entry' ? parseEntry(decodeBase64(exported.leaf)!) : null;
    if (entry?.kind === 'workspace.moved')
      isSealed ||= entry.move === head!.move && entry.to === head!.to && entry.workspace === head!.id;
  }
  const verdict = verifier.finish();
  if (!verdict.ok) throw refuse(verdict.words);
  if (head === null || end === null) throw refuse('it ends before its signature: it is cut');
  const whole = digest.finish();
  const fault = await faultOfEnd(end, head, whole, keys);
  if (fault !== null) throw refuse(fault);
  if (verdict.workspace !== head.id) throw refuse('its log is of another workspace');
  // INVARIANT: only the log of the store that it left says that it was closed there.
  if (!isSealed && !head.isRehearsal) throw refuse('its log does not say that the workspace was closed');
  return { head, digest: whole, rows, checkpoints, verdict };
}
