/** The stub that the database keeps instead of a body whose entries are in the archive. */
import { layOut, type SegmentEntry, type StoredEntry } from '../log/segment-layout.ts';
import { sha256 } from '../sha256.ts';

/** The first word of a stub. In a segment it would be an entry count that no commit can reach. */
const MAGIC = 0x3141_4357;
const FLAGS_AT = 4;
const INDEX_AT = 5;
const INDEX_BYTES = 6;
const DIGEST_AT = INDEX_AT + INDEX_BYTES;
const BITS_AT = DIGEST_AT + 32;
const BITS_A_BYTE = 8;
const HOLDS_MORE = 1;
/** A second set of bits follows the first. */
const HAS_RECORD_BITS = 2;

const NOTHING = Buffer.alloc(0);
const PRUNED: StoredEntry = { record: NOTHING, leaf: NOTHING };

export interface Stub {
  readonly log: string;
  readonly firstIndex: number;
  /** Whether the file may still hold entries that were pruned. */
  readonly fileHoldsMore: boolean;
  /** SHA-256 of the entries as a segment lays them out, the pruned ones empty. */
  readonly digest: Buffer;
  /**
   * One bit for each entry, the lowest first: set if it is pruned. INVARIANT: this decides, whatever the file
   * holds.
   */
  readonly prunedBits: Buffer;
  /** The same for entries that have a leaf and no record; null if there are none. */
  readonly recordBits: Buffer | null;
}

export function isArchived(body: Buffer): boolean {
  return body.length >= BITS_AT && body.readUInt32LE(0) === MAGIC;
}

export function stubOf(
  { log, firstIndex, fileHoldsMore = false }: Pick<Stub, 'log' | 'firstIndex'> & { fileHoldsMore?: boolean },
  entries: readonly SegmentEntry[],
): Buffer {
  const head = Buffer.alloc(BITS_AT);
  head.writeUInt32LE(MAGIC, 0);
  head.writeUIntLE(firstIndex, INDEX_AT, INDEX_BYTES);
  head.set(sha256(layOut(entries)), DIGEST_AT);
  const bits = bitsOf(entries, ({ leaf }) => leaf.length === 0);
  const recordBits = bitsOf(entries, ({ record, leaf }) => leaf.length > 0 && record.length === 0);
  const hasRecordBits = recordBits.some((byte) => byte !== 0);
  const flags = (fileHoldsMore ? HOLDS_MORE : 0) | (hasRecordBits ? HAS_RECORD_BITS : 0);
  head.writeUInt8(flags, FLAGS_AT);
  return Buffer.concat([head, bits, hasRecordBits ? recordBits : NOTHING, Buffer.from(log)]);
}

function bitsOf(entries: readonly SegmentEntry[], isSet: (entry: SegmentEntry) => boolean): Buffer {
  const bits = Buffer.alloc(bitBytes(entries.length));
  for (const [i, entry] of entries.entries()) {
    if (isSet(entry)) bits[Math.floor(i / BITS_A_BYTE)]! |= 1 << (i % BITS_A_BYTE);
  }
  return bits;
}

export function readStub(body: Buffer, count: number): Stub {
  const flags = body.readUInt8(FLAGS_AT);
  const recordBitsAt = BITS_AT + bitBytes(count);
  const hasRecordBits = (flags & HAS_RECORD_BITS) !== 0;
  const logAt = hasRecordBits ? recordBitsAt + bitBytes(count) : recordBitsAt;
  if (body.length <= logAt) throw new RangeError('what it keeps of its archived entries is too short');
  return {
    log: body.toString('utf8', logAt),
    firstIndex: body.readUIntLE(INDEX_AT, INDEX_BYTES),
    fileHoldsMore: (flags & HOLDS_MORE) !== 0,
    digest: body.subarray(DIGEST_AT, BITS_AT),
    prunedBits: body.subarray(BITS_AT, recordBitsAt),
    recordBits: hasRecordBits ? body.subarray(recordBitsAt, logAt) : null,
  };
}

export function isPruned({ prunedBits }: Stub, place: number): boolean {
  return isSet(prunedBits, place);
}

/** The part of an entry that remains. */
export function leftOf(stub: Stub, place: number, entry: StoredEntry | undefined): StoredEntry {
  if (entry === undefined || isPruned(stub, place)) return PRUNED;
  return stub.recordBits !== null && isSet(stub.recordBits, place) ? { ...entry, record: NOTHING } : entry;
}

function isSet(bits: Buffer, place: number): boolean {
  return (bits[Math.floor(place / BITS_A_BYTE)]! & (1 << (place % BITS_A_BYTE))) !== 0;
}

/** The same once the file holds nothing that was pruned. */
export function settledStub(body: Buffer): Buffer {
  const settled = Buffer.from(body);
  settled.writeUInt8(body.readUInt8(FLAGS_AT) & ~HOLDS_MORE, FLAGS_AT);
  return settled;
}

function bitBytes(count: number): number {
  return Math.ceil(count / BITS_A_BYTE);
}
