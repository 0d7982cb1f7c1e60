/** The newest audit records of a workspace, to see what a change would have decided about them. */
import type { Decisions } from '../store/port.ts';

const MOST_RECORDS = 10_000;
const SEGMENTS_AT_ONCE = 8;
/** Records are a few kilobytes; what crosses to the thread stays bounded whatever they are. */
const MOST_BYTES = 32 * 1024 * 1024;

export async function recordedIntents(
  store: Pick<Decisions, 'logs' | 'segments'>,
  workspace: string,
): Promise<readonly Uint8Array[]> {
  // Saves carrying over what is of no use. An intent may hold this text too, so whoever reads a record looks again.
  const marker = Buffer.from(`"workspace":"${workspace}"`);
  const records: Uint8Array[] = [];
  let bytes = 0;
  for (const { log, size } of await store.logs()) {
    let from = Math.max(0, size - MOST_RECORDS);
    while (from < size && records.length < MOST_RECORDS && bytes < MOST_BYTES) {
      const segments = await store.segments(log, from, SEGMENTS_AT_ONCE);
      const last = segments.at(-1);
      if (last === undefined) break;
      for (const { entries } of segments) {
        for (const { record } of entries) {
          if (records.length >= MOST_RECORDS || bytes >= MOST_BYTES) break;
          if (!Buffer.from(record.buffer, record.byteOffset, record.length).includes(marker)) continue;
          // A copy, because the record is a piece of its whole segment.
          records.push(Uint8Array.from(record));
          bytes += record.length;
        }
      }
      from = last.firstIndex + last.entries.length;
    }
  }
  return records;
}
