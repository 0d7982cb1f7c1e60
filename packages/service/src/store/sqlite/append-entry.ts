/** Appends one entry that is not a decision to a log, within the transaction of the caller. */
import { SegmentBuilder } from '../commit/segment-builder.ts';
import { encodeSegment } from '../segment.ts';
import { prepareAppendSegment } from './append-segment.ts';
import type { Db } from './open-database.ts';

const NO_RECORD = new Uint8Array(0);

/** Returns the index of the leaf. */
export function prepareAppendEntry(db: Db) {
  const { headOf, appendSegment } = prepareAppendSegment(db);
  return (log: string, leaf: Uint8Array, atMs: number): number => {
    const head = headOf(log);
    const builder = new SegmentBuilder(head);
    const index = builder.append({ record: NO_RECORD, leaf }, atMs);
    const segment = builder.finish();
    appendSegment(head, segment, encodeSegment(segment.entries));
    return index;
  };
}
