/** Appends entries that are not decisions to a log, as one segment, within the caller's transaction. */
import { type NewEntry, NO_RECORD, SegmentBuilder } from '../commit/segment-builder.ts';
import { encodeSegment } from '../segment.ts';
import { prepareAppendSegment } from './append-segment.ts';
import type { Db } from './open-database.ts';

export function prepareAppendEntries(db: Db) {
  const { headOf, appendSegment, writeHead } = prepareAppendSegment(db);
  return (log: string, entries: readonly NewEntry[]): void => {
    const head = headOf(log);
    const builder = new SegmentBuilder(head);
    for (const { leaf, record = NO_RECORD, atMs } of entries) builder.append({ record, leaf }, atMs);
    const segment = builder.finish();
    writeHead(appendSegment(head, segment, encodeSegment(segment.entries)));
  };
}
