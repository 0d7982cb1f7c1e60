/**
 * How a group of requests reaches the writer thread. One buffer moves over and comes back for the next commit: it holds
 * a few numbers of each request and entry, and their records and leaves, already laid out as the stored segment. Only
 * what few requests have travels beside it as plain values. `npm run bench -- micro`, case `commit-wire`.
 */
import { hash } from 'node:crypto';
import { leafAround, leafHash } from '@writecheck/ledger';
import { HASH_BYTES, sha256 } from '../../sha256.ts';
import type { Candidate } from '../commit/admit.ts';
import type { CheckingKeyKind, CommitEntry, CommitRequest } from '../port.ts';
import {
  compressSegment,
  entriesOf,
  giveBackCompressed,
  SegmentWriter,
  type StoredEntry,
  segmentBytesMax,
} from '../segment.ts';

/** Hex digits of a SHA-256. */
const NO_DIGEST = '0'.repeat(64);
const LEAF_BYTES_MAX = 2_048;
const BUFFER_BYTES_MIN = 1 << 20;
const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;
/** A page of the database: what the sender compresses below it saves the writer thread nothing. */
const FINISH_FROM_BYTES = 4_096;

/** What few entries have. */
type Extra = Pick<CommitEntry, 'consumes' | 'restsOn' | 'answers'>;
interface Extras extends Pick<CommitRequest, 'idempotency'> {
  readonly entries: readonly Extra[];
}
type Account = readonly [workspace: string, keyKind: CheckingKeyKind, limit: number | null];

export interface PackedGroup {
  /**
   * The numbers, then the segment, whose leaves still lack the digests of the records. A finished group has the
   * digests, then the hashes of the leaves, then the segment in its stored form.
   */
  readonly buffer: ArrayBuffer;
  readonly requestCount: number;
  readonly entryCount: number;
  readonly segmentBytes: number;
  /** Requests refer to an account by its place in this list. */
  readonly accounts: readonly Account[];
  /** By the number of the request. */
  readonly extras: ReadonlyMap<number, Extras> | null;
  /** The length of the stored form; null if the writer thread is to hash and compress. */
  readonly storedBytes: number | null;
}

export interface ArrivedEntry extends Extra {
  readonly atMs: number;
  readonly record: Buffer;
  readonly leaf: Buffer;
  /** If the sender has hashed the leaf already. */
  readonly leafHash?: Uint8Array;
}

export interface ArrivedGroup {
  /** What it arrived in. */
  readonly buffer: ArrayBuffer;
  readonly requests: readonly Candidate<ArrivedEntry>[];
  /** All entries of all requests in order, in stored form, for the case that all of them are admitted. */
  stored(): Buffer;
  readonly count: number;
}

/** Three for each request: its account, whether it asks for proof, and its number of entries. */
function requestNumbers({
  buffer,
  requestCount,
}: Pick<PackedGroup, 'buffer' | 'requestCount'>): Float64Array {
  return new Float64Array(buffer, 0, 3 * requestCount);
}

/** Two for each entry: its time, and where in its leaf the digest goes. */
function entryNumbers({
  buffer,
  requestCount,
  entryCount,
}: Pick<PackedGroup, 'buffer' | 'requestCount' | 'entryCount'>): Float64Array {
  return new Float64Array(buffer, 3 * requestCount * NUMBER_BYTES, 2 * entryCount);
}

function numberBytes(requestCount: number, entryCount: number): number {
  return (3 * requestCount + 2 * entryCount) * NUMBER_BYTES;
}

/** `spare` is used if it is large enough. */
export function packRequests(
  requests: readonly CommitRequest[],
  log: string,
  spare: ArrayBuffer | null,
): PackedGroup {
  const requestCount = requests.length;
  const { entryCount, bytesMax } = sizeOf(requests);
  const buffer =
    spare !== null && spare.byteLength >= bytesMax
      ? spare
      : new ArrayBuffer(Math.max(bytesMax, BUFFER_BYTES_MIN));
  const ofRequests = requestNumbers({ buffer, requestCount });
  const ofEntries = entryNumbers({ buffer, requestCount, entryCount });
  const writer = new SegmentWriter(Buffer.from(buffer, numberBytes(requestCount, entryCount)), entryCount);
  const accounts: Account[] = [];
  let extras: Map<number, Extras> | null = null;
  let next = 0;
  for (const [i, request] of requests.entries()) {
    const { workspace, keyKind, limit, entries } = request;
    ofRequests[3 * i] = accountOf(accounts, workspace, keyKind, limit);
    ofRequests[3 * i + 1] = Number(request.proven === true);
    ofRequests[3 * i + 2] = entries.length;
    const own = extrasOf(request);
    if (own !== null) {
      extras ??= new Map();
      extras.set(i, own);
    }
    for (const { atMs, record, leaf } of entries) {
      const { before, after } = leafAround(leaf, log, workspace, keyKind);
      const text = `${before}${NO_DIGEST}${after}`;
      if (text.length > LEAF_BYTES_MAX) throw new RangeError('a leaf is longer than any leaf can be');
      writer.add(record, text);
      ofEntries[next++] = atMs;
      ofEntries[next++] = before.length;
    }
  }
  const segmentBytes = writer.length;
  return { buffer, requestCount, entryCount, segmentBytes, accounts, extras, storedBytes: null };
}

/**
 * Hashes and compresses on the sender's thread, where the writer thread serves several: then it has little to do for
 * each request. Unchanged if the buffer has no room for the result, which is rare.
 */
export function finishGroup(packed: PackedGroup): PackedGroup {
  const { buffer, entryCount, segmentBytes } = packed;
  const segment = segmentIn(packed);
  const hashesAt = segment.byteOffset + segmentBytes;
  const storedAt = hashesAt + entryCount * HASH_BYTES;
  if (storedAt > buffer.byteLength) return packed;
  const hashes = Buffer.from(buffer, hashesAt, entryCount * HASH_BYTES);
  const ofEntries = entryNumbers(packed);
  for (const [i, { record, leaf }] of entriesOf(segment, entryCount).entries()) {
    leaf.write(hash('sha256', record), ofEntries[2 * i + 1]!, 'latin1');
    hashes.set(leafHash(leaf, sha256), i * HASH_BYTES);
  }
  const stored = compressSegment(segment, FINISH_FROM_BYTES);
  const storedBytes = stored.length;
  const hasRoom = storedAt + storedBytes <= buffer.byteLength;
  if (hasRoom) Buffer.from(buffer, storedAt, storedBytes).set(stored);
  giveBackCompressed(stored);
  return hasRoom ? { ...packed, storedBytes } : packed;
}

function segmentIn({ buffer, requestCount, entryCount, segmentBytes }: PackedGroup): Buffer {
  return Buffer.from(buffer, numberBytes(requestCount, entryCount), segmentBytes);
}

function sizeOf(requests: readonly CommitRequest[]): {
  readonly entryCount: number;
  readonly bytesMax: number;
} {
  let entryCount = 0;
  let contentBytesMax = 0;
  for (const { entries } of requests) {
    entryCount += entries.length;
    for (const { record } of entries) {
      // A UTF-16 code unit takes at most three bytes in UTF-8.
      contentBytesMax += 3 * record.before.length + record.intent.length + record.after.length;
    }
  }
  const segmentMax = segmentBytesMax(entryCount, contentBytesMax + entryCount * LEAF_BYTES_MAX);
  return { entryCount, bytesMax: numberBytes(requests.length, entryCount) + segmentMax };
}

function accountOf(
  accounts: Account[],
  workspace: string,
  keyKind: CheckingKeyKind,
  limit: number | null,
): number {
  const known = accounts.findIndex(
    (account) => account[0] === workspace && account[1] === keyKind && account[2] === limit,
  );
  return known === -1 ? accounts.push([workspace, keyKind, limit]) - 1 : known;
}

function extrasOf({ idempotency, entries }: CommitRequest): Extras | null {
  if (idempotency === null && entries.every(isPlain)) return null;
  return {
    idempotency,
    entries: entries.map(({ consumes, restsOn, answers }) =>
      answers === undefined ? { consumes, restsOn } : { consumes, restsOn, answers },
    ),
  };
}

function isPlain({ consumes, restsOn, answers }: CommitEntry): boolean {
  return consumes.length === 0 && restsOn.length === 0 && answers === undefined;
}

const NO_EXTRA: Extra = { consumes: [], restsOn: [] };

/**
 * On the thread: the same requests, with the digests in their leaves. Doing it twice changes nothing. Throws if the
 * group does not have the layout above.
 */
export function unpackRequests(packed: PackedGroup): ArrivedGroup {
  const { requestCount, entryCount, accounts, extras, storedBytes } = packed;
  const segment = segmentIn(packed);
  const ofRequests = requestNumbers(packed);
  const entryOf =
    storedBytes === null ? unfinishedEntries(packed, segment) : finishedEntries(packed, segment);
  const requests: Candidate<ArrivedEntry>[] = [];
  let next = 0;
  for (let i = 0; i < requestCount; i += 1) {
    const [workspace, keyKind, limit] = accounts[ofRequests[3 * i]!]!;
    const own = extras?.get(i);
    const entries: ArrivedEntry[] = [];
    for (let left = ofRequests[3 * i + 2]!; left > 0; left -= 1) {
      entries.push(entryOf(next, own?.entries[entries.length] ?? NO_EXTRA));
      next += 1;
    }
    const idempotency = own?.idempotency ?? null;
    const proven = ofRequests[3 * i + 1] === 1;
    requests.push({ workspace, keyKind, limit, entries, idempotency, proven });
  }
  // INVARIANT: entries that belong to no request would be stored without being admitted.
  if (next !== entryCount) throw new RangeError('the entries of a commit do not fit its requests');
  return {
    buffer: packed.buffer,
    requests,
    count: entryCount,
    stored: () =>
      storedBytes === null
        ? compressSegment(segment)
        : Buffer.from(packed.buffer, storedStart(packed, segment), storedBytes),
  };
}

function storedStart({ entryCount }: PackedGroup, segment: Buffer): number {
  return segment.byteOffset + segment.length + entryCount * HASH_BYTES;
}

type EntryOf = (index: number, extra: Extra) => ArrivedEntry;

function unfinishedEntries(packed: PackedGroup, segment: Buffer): EntryOf {
  const ofEntries = entryNumbers(packed);
  const stored = entriesOf(segment, packed.entryCount);
  return (index, { consumes, restsOn, answers }) => {
    const { record, leaf } = stored[index]!;
    const atMs = ofEntries[2 * index]!;
    leaf.write(hash('sha256', record), ofEntries[2 * index + 1]!, 'latin1');
    return answers === undefined
      ? { atMs, record, leaf, consumes, restsOn }
      : { atMs, record, leaf, consumes, restsOn, answers };
  };
}

function finishedEntries(packed: PackedGroup, segment: Buffer): EntryOf {
  const ofEntries = entryNumbers(packed);
  const bytes = new FinishedBytes(packed, segment);
  return (index, extra) => new FinishedEntry(bytes, index, ofEntries[2 * index]!, extra);
}

/** Records and leaves are cut out of the segment only if somebody reads them: few commits need that. */
class FinishedBytes {
  readonly #packed: PackedGroup;
  readonly #segment: Buffer;
  #entries: readonly StoredEntry[] | null = null;

  constructor(packed: PackedGroup, segment: Buffer) {
    this.#packed = packed;
    this.#segment = segment;
  }

  entry(index: number): StoredEntry {
    this.#entries ??= entriesOf(this.#segment, this.#packed.entryCount);
    return this.#entries[index]!;
  }

  /** A copy: it may become the root of a tree, and the buffer is used again. */
  leafHash(index: number): Uint8Array {
    const { byteOffset, length } = this.#segment;
    return new Uint8Array(this.#packed.buffer, byteOffset + length + index * HASH_BYTES, HASH_BYTES).slice();
  }
}

class FinishedEntry implements ArrivedEntry {
  readonly #bytes: FinishedBytes;
  readonly #index: number;
  readonly atMs: number;
  readonly consumes: Extra['consumes'];
  readonly restsOn: Extra['restsOn'];
  readonly answers?: NonNullable<Extra['answers']>;

  constructor(bytes: FinishedBytes, index: number, atMs: number, { consumes, restsOn, answers }: Extra) {
    this.#bytes = bytes;
    this.#index = index;
    this.atMs = atMs;
    this.consumes = consumes;
    this.restsOn = restsOn;
    if (answers !== undefined) this.answers = answers;
  }

  get record(): Buffer {
    return this.#bytes.entry(this.#index).record;
  }

  get leaf(): Buffer {
    return this.#bytes.entry(this.#index).leaf;
  }

  get leafHash(): Uint8Array {
    return this.#bytes.leafHash(this.#index);
  }
}
