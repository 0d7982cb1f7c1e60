/** The stored form of a segment, which holds one commit's records and leaves: compressed if that pays. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { parseLeaf } from '@writecheck/ledger/log';
import { StoreUnavailable } from '../port/failure.ts';
import { textDigest } from '../sha256.ts';
import { entriesOf, layOut, type SegmentEntry, type StoredEntry } from './segment-layout.ts';

export type { SegmentEntry, StoredEntry } from './segment-layout.ts';

/** Records of one commit are very similar; a shorter segment holds too few of them to be worth compressing. */
const COMPRESS_FROM_BYTES = 16_384;
/** INVARIANT: a larger segment is neither written nor read, so whatever was written can be read. */
const SEGMENT_BYTES_MAX = 256 * 1024 * 1024;
/** Many times what a commit holds: a row that claims more was not written here. */
const ENTRIES_MAX = 4_096;
/** The first word of a compressed segment. In any other it would be an entry count that no commit can reach. */
const ZSTD_MAGIC = 0xfd2f_b528;
/** Most segments are shorter, and most compressed ones much shorter: then one buffer holds them. */
const CHUNK_BYTES = 512 * 1024;
const COMPRESSED_CHUNK_BYTES = 128 * 1024;
const QUICKLY = {
  chunkSize: COMPRESSED_CHUNK_BYTES,
  // One wrong bit may change every record after it into something that still looks valid; the checksum detects it.
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
};

/**
 * The stored form of a segment in the layout of `segment-layout.ts`. Hashes and proofs cover the records and leaves in
 * it, not this form. A segment shorter than `fromBytes` stays as it is.
 */
export function compressSegment(segment: Buffer, fromBytes = COMPRESS_FROM_BYTES): Buffer {
  if (segment.length > SEGMENT_BYTES_MAX) {
    throw new RangeError(`a commit of ${segment.length} bytes is more than can be read again`);
  }
  return segment.length < fromBytes ? segment : zstdCompressSync(segment, QUICKLY);
}

export function encodeSegment(entries: readonly SegmentEntry[]): Buffer {
  return compressSegment(layOut(entries));
}

export interface StoredSegment {
  readonly position: number;
  /** The number of entries in its body. */
  readonly count: number;
  readonly body: Buffer;
}

/** Throws `StoreUnavailable` for anything that was not stored in this layout. */
export function decodeSegment(segment: StoredSegment): readonly StoredEntry[] {
  return decode(segment).entries;
}

/**
 * The same for a caller that reads many: decompressed memory is released immediately instead of waiting for a
 * collection, which comes only after tens of megabytes. INVARIANT: `use` keeps none of the bytes.
 */
export function useSegment(segment: StoredSegment, use: (entries: readonly StoredEntry[]) => void): void {
  const { entries, body } = decode(segment);
  try {
    use(entries);
  } finally {
    // The stored bytes may share their memory with other rows.
    if (body !== segment.body) giveBack(body);
  }
}

/** Call it with a buffer of `compressSegment` once it is written. */
export function giveBackCompressed(stored: Buffer): void {
  if (isCompressed(stored)) giveBack(stored);
}

function giveBack(made: Buffer): void {
  const buffer = made.buffer as ArrayBuffer;
  // INVARIANT: the pool that small buffers share, which is much smaller, is never detached.
  if (buffer.byteLength >= COMPRESSED_CHUNK_BYTES) buffer.transfer(0);
}

function isCompressed(stored: Buffer): boolean {
  return stored.readUInt32LE(0) === ZSTD_MAGIC;
}

function decode({ position, count, body: stored }: StoredSegment): {
  readonly entries: readonly StoredEntry[];
  readonly body: Buffer;
} {
  try {
    if (count > ENTRIES_MAX) throw new RangeError('it has more entries than a commit can hold');
    const body = isCompressed(stored) ? decompressed(stored) : stored;
    return { entries: entriesOf(body, count), body };
  } catch (thrown) {
    throw damagedAt(position, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** Another workspace's decision looks the same as one that does not exist. */
export function findInSegment(
  segment: StoredSegment,
  workspace: string,
  decisionId: string,
  entries = decodeSegment(segment),
): (StoredEntry & { readonly index: number }) | null {
  for (const [index, { record, leaf }] of entries.entries()) {
    if (!leaf.includes(decisionId)) continue;
    const parsed = parseLeaf(leaf);
    if (parsed?.decision_id !== decisionId || parsed.workspace !== workspace) continue;
    // A record must not pass for the one that its leaf describes if it differs.
    if (textDigest(record) !== parsed.recordDigest)
      throw damagedAt(segment.position, 'a record is not the one whose digest its leaf holds');
    return { index, record, leaf };
  }
  return null;
}

function damagedAt(position: number, what: string): StoreUnavailable {
  const message = 'a segment of the log is damaged; restore the database from a backup';
  return new StoreUnavailable('corrupt', message, new Error(`the segment at position ${position}: ${what}`));
}

function decompressed(stored: Buffer): Buffer {
  // `info` makes zstd also report how many bytes it read, which the types do not include.
  const asked = { maxOutputLength: SEGMENT_BYTES_MAX, info: true, chunkSize: CHUNK_BYTES };
  const { buffer, engine } = zstdDecompressSync(stored, asked) as unknown as {
    readonly buffer: Buffer;
    readonly engine: { readonly bytesWritten: number };
  };
  if (engine.bytesWritten !== stored.length) throw new RangeError('it does not end where its frame ends');
  return buffer;
}
