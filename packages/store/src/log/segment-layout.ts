/** The layout of a segment's records and leaves, one after another, before they are compressed. */
import type { RecordPieces } from '@writecheck/ledger/log';

export interface SegmentEntry {
  readonly record: Uint8Array;
  readonly leaf: Uint8Array;
  /** If it is known already. */
  readonly leafHash?: Uint8Array;
}

export interface StoredEntry {
  readonly record: Buffer;
  readonly leaf: Buffer;
}

/** A decision's record, or another entry's, which is all in `before`. */
export type LaidRecord = Pick<RecordPieces, 'before' | 'intent'> & { readonly after: string };

const WORD_BYTES = 4;

function headBytes(count: number): number {
  return WORD_BYTES + count * 2 * WORD_BYTES;
}

/**
 * Little-endian: the number of entries; for each the lengths of its record and its leaf; then all records and leaves
 * in turn. The lengths come first so that one entry is found without reading the others.
 */
export function layOut(entries: readonly SegmentEntry[]): Buffer {
  let size = headBytes(entries.length);
  for (const { record, leaf } of entries) size += record.length + leaf.length;
  const body = Buffer.allocUnsafe(size);
  let head = body.writeUInt32LE(entries.length, 0);
  let at = headBytes(entries.length);
  for (const { record, leaf } of entries) {
    head = body.writeUInt32LE(record.length, head);
    head = body.writeUInt32LE(leaf.length, head);
    body.set(record, at);
    body.set(leaf, at + record.length);
    at += record.length + leaf.length;
  }
  return body;
}

/** Room for this many entries, given the maximum size of their records and leaves. */
export function segmentBytesMax(count: number, contentBytesMax: number): number {
  return headBytes(count) + contentBytesMax;
}

/** Does what `layOut` does, entry by entry and in an existing buffer; the count is known before the first. */
export class SegmentWriter {
  readonly #body: Buffer;
  #lengthAt: number;
  #at: number;

  constructor(body: Buffer, count: number) {
    this.#body = body;
    this.#lengthAt = body.writeUInt32LE(count, 0);
    this.#at = headBytes(count);
  }

  /** The number of bytes laid out. */
  get length(): number {
    return this.#at;
  }

  /** The leaf is ASCII. */
  add({ before, intent, after }: LaidRecord, leaf: string): void {
    const body = this.#body;
    const intentAt = this.#at + body.write(before, this.#at, 'utf8');
    body.set(intent, intentAt);
    const afterAt = intentAt + intent.length;
    const leafAt = afterAt + after.length;
    // The text after the intent is ASCII too, so one call writes both.
    const written = body.write(`${after}${leaf}`, afterAt, 'latin1');
    // INVARIANT: anything that does not fit would be cut off silently.
    if (written !== after.length + leaf.length) throw new RangeError('the buffer of a segment is too small');
    this.#lengthAt = body.writeUInt32LE(leafAt - this.#at, this.#lengthAt);
    this.#lengthAt = body.writeUInt32LE(leaf.length, this.#lengthAt);
    this.#at = leafAt + leaf.length;
  }
}

/** The entries of an uncompressed segment. Throws if it does not have the layout above. */
export function entriesOf(body: Buffer, count: number): readonly StoredEntry[] {
  // INVARIANT: checked before anything uses what the body claims about itself.
  if (body.readUInt32LE(0) !== count)
    throw new RangeError('it does not have as many entries as its row says');
  const entries: StoredEntry[] = [];
  let at = headBytes(count);
  for (let i = 0; i < count; i += 1) {
    const recordBytes = body.readUInt32LE(WORD_BYTES + i * 2 * WORD_BYTES);
    const leafBytes = body.readUInt32LE(WORD_BYTES + i * 2 * WORD_BYTES + WORD_BYTES);
    const leafAt = at + recordBytes;
    entries.push({ record: body.subarray(at, leafAt), leaf: body.subarray(leafAt, leafAt + leafBytes) });
    at = leafAt + leafBytes;
  }
  if (at !== body.length) throw new RangeError('it does not end where its last leaf ends');
  return entries;
}
