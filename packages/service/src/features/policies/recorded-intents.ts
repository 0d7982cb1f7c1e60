/** The newest audit records of a workspace, to show what a change would have decided about them. */
import type { Store } from '@writecheck/store/port';

const RECORDS_MAX = 10_000;
const SEGMENTS_AT_ONCE = 8;
/** Records are a few kilobytes; this limits what is sent to the thread. */
const BYTES_MAX = 32 * 1024 * 1024;

export async function recordedIntents(
  store: Pick<Store, 'logs' | 'segments'>,
  workspace: string,
): Promise<readonly Uint8Array[]> {
  // Skips most records of other workspaces. An intent may contain this text too, so the reader checks again.
  const marker = Buffer.from(`"workspace":"${workspace}"`);
  const records: Uint8Array[] = [];
  let bytes = 0;
  for (const { log, size } of await store.logs()) {
    let from = Math.max(0, size - RECORDS_MAX);
    while (from < size && records.length < RECORDS_MAX && bytes < BYTES_MAX) {
      const segments = await store.segments(log, from, SEGMENTS_AT_ONCE);
      const last = segments.at(-1);
      if (last === undefined) break;
      for (const { entries } of segments) {
        for (const { record } of entries) {
          if (records.length >= RECORDS_MAX || bytes >= BYTES_MAX) break;
          if (!Buffer.from(record.buffer, record.byteOffset, record.length).includes(marker)) continue;
          // A copy, because the record is a slice of its whole segment.
          records.push(Uint8Array.from(record));
          bytes += record.length;
        }
      }
      from = last.firstIndex + last.entries.length;
    }
  }
  return records;
}
