/** Whether the newest checkpoint of each log is signed with a key that the reader trusts. */
import { openCheckpoint, parseVerifierKeys } from '@writecheck/ledger';

interface LogHead {
  readonly log: string;
  /** As the service lists it, a moment before its checkpoint was read. */
  readonly size: number;
  /** Empty if the log has none. */
  readonly checkpoint: string;
}

export async function checkHead(logs: readonly LogHead[], keys: string) {
  const known = parseVerifierKeys(keys);
  if (known === null) return { entries: 0, fault: 'the keys are not verifier keys' };
  /** That the checkpoints sign for. */
  let entries = 0;
  /** Why they do not verify; null if they do. */
  let fault: string | null = null;
  for (const { log, size, checkpoint } of logs) {
    if (checkpoint === '' && size === 0) continue;
    const opened = await openCheckpoint(checkpoint, known);
    if (opened.kind === 'refused') fault ??= opened.message;
    else if (opened.checkpoint.log !== log)
      fault ??= `the checkpoint is of the log \`${opened.checkpoint.log}\``;
    else if (opened.checkpoint.size < size)
      fault ??= `\`${log}\` lists more entries than its checkpoint signs for`;
    else entries += opened.checkpoint.size;
  }
  return { entries, fault };
}
