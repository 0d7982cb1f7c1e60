/** The newest audit records of a workspace, to show what a change would have decided about them. */
import type { Store } from '@writecheck/store/port';

const RECORDS_MAX = 10_000;
const SEGMENTS_AT_ONCE = 8;
/** Records are a few kilobytes; this limits what is sent to the thread. */
const BYTES_MAX = 32 * 1024 * 1024;

/** Logs share the limits evenly: those of several processes are equally new. Each gives its newest records, oldest first. */
export async function recordedIntents(
  store: Pick<Store, 'logs' | 'segments'>,
  workspace: string,
): Promise<readonly Uint8Array[]> {
  // Skips most records of other workspaces. An intent may contain this text too, so the reader checks again.
  const marker = Buffer.from(`"workspace":"${workspace}"`);
  const logs = (await store.logs()).filter(({ size }) => size > 0);
  const found: Uint8Array[] = [];
  for (const { log, size } of logs) {
    const records: Uint8Array[] = [];
    let bytes = 0;
    let from = Math.max(0, size - RECORDS_MAX);
    while (from < size) {
      const segments = await store.segments(log, from, SEGMENTS_AT_ONCE);
      const last = segments.at(-1);
      if (last === undefined) break;
      for (const { record } of segments.flatMap(({ entries }) => entries)) {
        if (!Buffer.from(record.buffer, record.byteOffset, record.length).includes(marker)) continue;
        // A copy, because the record is a slice of its whole segment.
        records.push(Uint8Array.from(record));
        bytes += record.length;
      }
      while (records.length > RECORDS_MAX / logs.length || bytes > BYTES_MAX / logs.length)
        bytes -= records.shift()!.length;
      from = last.firstIndex + last.entries.length;
    }
    found.push(...records);
  }
  return found;
}
