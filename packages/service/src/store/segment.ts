/** The bytes of a segment: how one commit's records and leaves lie in one blob, and how the blob is stored. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { StoreUnavailable } from './port.ts';

export interface SegmentEntry {
  readonly record: Uint8Array;
  readonly leaf: Uint8Array;
}

const WORD_BYTES = 4;
/** Records of one commit are much alike, one alone is not: below this it costs more than the bytes it saves. */
const COMPRESS_FROM_BYTES = 16_384;
/** No commit can hold more, so what would become larger was never written here. */
const SEGMENT_BYTES_MAX = 256 * 1024 * 1024;
/** As the first word of a segment it would be a number of entries that no commit can hold. */
const ZSTD_MAGIC = 0xfd2f_b528;
const QUICKLY = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** `segment` is as laid out below. What comes of it is stored; hashes and proofs are of the records and leaves within. */
export const compressSegment = (segment: Buffer): Buffer =>
  segment.length < COMPRESS_FROM_BYTES ? segment : zstdCompressSync(segment, QUICKLY);

/**
 * Little end first: the number of entries; for each the lengths of its record and its leaf; then all records and
 * leaves in turn. The lengths stand together so that one entry is found without reading the others.
 */
export const encodeSegment = (entries: readonly SegmentEntry[]): Buffer => {
  let size = WORD_BYTES + entries.length * 2 * WORD_BYTES;
  for (const { record, leaf } of entries) size += record.length + leaf.length;
  const body = Buffer.allocUnsafe(size);
  let head = body.writeUInt32LE(entries.length, 0);
  let at = WORD_BYTES + entries.length * 2 * WORD_BYTES;
  for (const { record, leaf } of entries) {
    head = body.writeUInt32LE(record.length, head);
    head = body.writeUInt32LE(leaf.length, head);
    body.set(record, at);
    body.set(leaf, at + record.length);
    at += record.length + leaf.length;
  }
  return compressSegment(body);
};

type StoredEntry = { readonly record: Buffer; readonly leaf: Buffer };

/** Throws `StoreUnavailable` for anything that was not stored like this. */
export const decodeSegment = (stored: Buffer): readonly StoredEntry[] => {
  try {
    return entriesOf(stored.readUInt32LE(0) === ZSTD_MAGIC ? decompressed(stored) : stored);
  } catch (cause) {
    const failure = new StoreUnavailable(
      'corrupt',
      'a segment of the log is damaged; restore it from a backup',
    );
    failure.cause = cause;
    throw failure;
  }
};

const decompressed = (stored: Buffer): Buffer => {
  // Asked so it also says how many bytes it has read, which the types do not know of.
  const asked = { maxOutputLength: SEGMENT_BYTES_MAX, info: true };
  const { buffer, engine } = zstdDecompressSync(stored, asked) as unknown as {
    readonly buffer: Buffer;
    readonly engine: { readonly bytesWritten: number };
  };
  if (engine.bytesWritten !== stored.length) throw new RangeError('a segment must end where its frame ends');
  return buffer;
};

const entriesOf = (body: Buffer): readonly StoredEntry[] => {
  const count = body.readUInt32LE(0);
  const entries: StoredEntry[] = [];
  let at = WORD_BYTES + count * 2 * WORD_BYTES;
  for (let i = 0; i < count; i += 1) {
    const recordBytes = body.readUInt32LE(WORD_BYTES + i * 2 * WORD_BYTES);
    const leafBytes = body.readUInt32LE(WORD_BYTES + i * 2 * WORD_BYTES + WORD_BYTES);
    const leafAt = at + recordBytes;
    entries.push({ record: body.subarray(at, leafAt), leaf: body.subarray(leafAt, leafAt + leafBytes) });
    at = leafAt + leafBytes;
  }
  if (at !== body.length) throw new RangeError('a segment must end where its last leaf ends');
  return entries;
};
