/**
 * The caller's side of a commit: how a group of requests reaches the writer thread, and how its results are
 * read. One buffer that both threads see serves one commit after the other: it holds a few numbers of each request,
 * and their records and leaves, already laid out as the stored segment. Members that few requests have travel beside
 * it as JSON. `npm run bench -- micro`, case `commit-wire`.
 */
import { hash } from 'node:crypto';
import { given } from '@writecheck/contract';
import { leafHash, leafText } from '@writecheck/ledger/log';
import type { RequestResult } from '../commit/build-commit.ts';
import { committedRequest } from '../commit/committed.ts';
import { outcomeTexts, redemptionLeaf } from '../commit/new-entries.ts';
import { bytesOfRequest } from '../commit/stored-bytes.ts';
import { compressSegment, giveBackCompressed } from '../log/segment.ts';
import {
  entriesOf,
  type LaidRecord,
  SegmentWriter,
  type StoredEntry,
  segmentBytesMax,
} from '../log/segment-layout.ts';
import type { NewOutcome, OutcomeRecorded } from '../port/outcomes.ts';
import type { CheckingKeyKind, CommitRequest, CommitResult, DecidingBundle } from '../port.ts';
import { HASH_BYTES, sha256 } from '../sha256.ts';
import { recordedAs } from '../tables/outcomes.ts';

/** A placeholder as long as the digest that replaces it once the record is hashed. */
const NO_DIGEST = `sha256:${'0'.repeat(64)}`;
const BEFORE_DIGEST = '"recordDigest":"sha256:';
const LEAF_BYTES_MAX = 2_048;
const BUFFER_BYTES_MIN = 1 << 20;
const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;
/** A page of the database: what the sender compresses below it saves the writer thread nothing. */
const FINISH_FROM_BYTES = 4_096;

/** Members that few requests have. The texts that a key keeps, `replayableWhile` and `response`, are empty here. */
export interface Extras
  extends Pick<CommitRequest, 'consumes' | 'restsOn' | 'limits' | 'redeems' | 'idempotency'> {
  /** The number of the request. */
  readonly number: number;
}
type RequestTerms = readonly [
  workspace: string,
  keyId: string,
  keyKind: CheckingKeyKind,
  quota: number | null,
  freezeNumber: number,
  bundle: DecidingBundle,
];

export interface PackedGroup {
  /**
   * The numbers, then the segment, whose leaves still lack the digests of the records. A finished group has the
   * digests, then the hashes of the leaves, then the segment in its stored form.
   */
  readonly buffer: SharedArrayBuffer;
  readonly requestCount: number;
  /** Counts the redemptions too, each after its decision, and the reported outcomes, after everything else. */
  readonly segmentCount: number;
  readonly segmentBytes: number;
  /** Requests refer to their terms by the place in this list. */
  readonly terms: readonly RequestTerms[];
  /** `Extras[]` in JSON: objects take longer to copy, `npm run bench -- micro`, case `extras-wire`. */
  readonly extras: string | null;
  /** Two texts for each idempotency key, in order: as JSON in JSON they would take longer than the rest. */
  readonly kept: readonly string[];
  /** Reported outcomes in JSON. */
  readonly outcomes: string | null;
  /** The length of the stored form; null if the writer thread is to hash and compress. */
  readonly storedBytes: number | null;
}

/** How many numbers each request has. */
export const REQUEST_NUMBERS = 3;

/** For each request: the place of its terms, its time, and what it stores. */
export function requestNumbers({
  buffer,
  requestCount,
}: Pick<PackedGroup, 'buffer' | 'requestCount'>): Float64Array {
  return new Float64Array(buffer, 0, REQUEST_NUMBERS * requestCount);
}

function numberBytes(requestCount: number): number {
  return REQUEST_NUMBERS * requestCount * NUMBER_BYTES;
}

/** `spare` is used if it is large enough. */
export function packRequests(
  requests: readonly CommitRequest[],
  log: string,
  spare: SharedArrayBuffer | null,
  outcomes: readonly NewOutcome[],
): PackedGroup {
  const requestCount = requests.length;
  const reports = outcomes.map((outcome) => outcomeTexts(log, outcome));
  const { segmentCount, bytesMax } = sizeOf(requests, reports);
  const buffer =
    spare !== null && spare.byteLength >= bytesMax
      ? spare
      : new SharedArrayBuffer(Math.max(bytesMax, BUFFER_BYTES_MIN));
  const ofRequests = requestNumbers({ buffer, requestCount });
  const writer = new SegmentWriter(Buffer.from(buffer, numberBytes(requestCount)), segmentCount);
  const terms: RequestTerms[] = [];
  const extras: Extras[] = [];
  const kept: string[] = [];
  for (const [number, request] of requests.entries()) {
    const { workspace, keyId, keyKind, atMs, record, leaf, redeems } = request;
    const at = REQUEST_NUMBERS * number;
    ofRequests[at] = placeOfTerms(terms, request);
    ofRequests[at + 1] = atMs;
    ofRequests[at + 2] = bytesOfRequest(request);
    if (!isPlain(request)) extras.push(extrasOf(request, number, kept));
    writer.add(record, fitting(leafText({ ...leaf, log, workspace, keyKind, recordDigest: NO_DIGEST })));
    if (redeems !== undefined)
      writer.add(NO_RECORD, fitting(redemptionLeaf(log, { ...redeems, workspace, keyId, keyKind, atMs })));
  }
  for (const { record, leaf } of reports) writer.add({ ...NO_RECORD, before: record }, fitting(leaf));
  const segmentBytes = writer.length;
  return {
    buffer,
    requestCount,
    segmentCount,
    segmentBytes,
    terms,
    extras: extras.length === 0 ? null : JSON.stringify(extras),
    kept,
    outcomes: outcomes.length === 0 ? null : JSON.stringify(outcomes),
    storedBytes: null,
  };
}

const NO_RECORD: LaidRecord = { before: '', intent: new Uint8Array(0), after: '' };

function fitting(leaf: string): string {
  if (leaf.length > LEAF_BYTES_MAX) throw new RangeError('a leaf is longer than any leaf can be');
  return leaf;
}

/**
 * Hashes and compresses on the sender's thread, if the writer thread serves several: then it has little to do
 * for each request. Unchanged if the buffer has no room for the result, which is rare.
 */
export function finishGroup(packed: PackedGroup): PackedGroup {
  const { buffer, segmentCount, segmentBytes } = packed;
  const segment = segmentIn(packed);
  const hashesAt = segment.byteOffset + segmentBytes;
  const storedAt = hashesAt + segmentCount * HASH_BYTES;
  if (storedAt > buffer.byteLength) return packed;
  const hashes = Buffer.from(buffer, hashesAt, segmentCount * HASH_BYTES);
  for (const [i, entry] of entriesOf(segment, segmentCount).entries()) {
    fillInDigest(entry);
    hashes.set(leafHash(entry.leaf, sha256), i * HASH_BYTES);
  }
  const stored = compressSegment(segment, FINISH_FROM_BYTES);
  const storedBytes = stored.length;
  const hasRoom = storedAt + storedBytes <= buffer.byteLength;
  if (hasRoom) Buffer.from(buffer, storedAt, storedBytes).set(stored);
  giveBackCompressed(stored);
  return hasRoom ? { ...packed, storedBytes } : packed;
}

/** Quotes inside members are escaped, so the first match is the member. Only the leaf of a decision has it. */
export function fillInDigest({ record, leaf }: StoredEntry): void {
  const at = leaf.indexOf(BEFORE_DIGEST);
  if (at !== -1) leaf.write(hash('sha256', record), at + BEFORE_DIGEST.length, 'latin1');
}

export function segmentIn({ buffer, requestCount, segmentBytes }: PackedGroup): Buffer {
  return Buffer.from(buffer, numberBytes(requestCount), segmentBytes);
}

function sizeOf(
  requests: readonly CommitRequest[],
  reports: readonly { readonly record: string }[],
): { readonly segmentCount: number; readonly bytesMax: number } {
  let segmentCount = reports.length + requests.length;
  let contentBytesMax = 0;
  for (const { record } of reports) contentBytesMax += 3 * record.length;
  for (const { record, redeems } of requests) {
    if (redeems !== undefined) segmentCount += 1;
    // A UTF-16 code unit takes at most three bytes in UTF-8.
    contentBytesMax += 3 * record.before.length + record.intent.length + record.after.length;
  }
  const segmentMax = segmentBytesMax(segmentCount, contentBytesMax + segmentCount * LEAF_BYTES_MAX);
  return { segmentCount, bytesMax: numberBytes(requests.length) + segmentMax };
}

/** Adds the terms if no request before had the same. */
function placeOfTerms(
  terms: RequestTerms[],
  { workspace, keyId, keyKind, quota, freezeNumber, bundle }: CommitRequest,
): number {
  const place = terms.findIndex(
    (known) =>
      known[0] === workspace &&
      known[1] === keyId &&
      known[2] === keyKind &&
      known[3] === quota &&
      known[4] === freezeNumber &&
      known[5].digest === bundle.digest,
  );
  return place === -1 ? terms.push([workspace, keyId, keyKind, quota, freezeNumber, bundle]) - 1 : place;
}

function isPlain({ idempotency, consumes, restsOn, limits, redeems }: CommitRequest): boolean {
  return (
    idempotency === null &&
    consumes.length === 0 &&
    restsOn.length === 0 &&
    limits === undefined &&
    redeems === undefined
  );
}

/** Adds the kept texts to `kept`. */
function extrasOf(request: CommitRequest, number: number, kept: string[]): Extras {
  const { idempotency, consumes, restsOn, limits, redeems } = request;
  if (idempotency !== null) kept.push(idempotency.replayableWhile, idempotency.response);
  return {
    number,
    idempotency: idempotency && { ...idempotency, replayableWhile: '', response: '' },
    consumes,
    restsOn,
    ...given({ limits, redeems }),
  };
}

/** How its results come back: two numbers for most requests, and plain values for the others. */
export interface PackedResults {
  /** One for each committed request that has nothing else to report. */
  readonly leafIndexes: readonly number[];
  readonly used: readonly number[];
  /** The results of all other requests, by the number of the request. */
  readonly others: ReadonlyMap<number, RequestResult> | null;
  /** One for each reported outcome; null if it is recorded as it was sent. */
  readonly recorded: readonly (OutcomeRecorded | null)[];
}

/** `requests` are those that were sent: this side already knows which decision a result belongs to. */
export function unpackResults(
  { leafIndexes, used, others }: PackedResults,
  requests: readonly CommitRequest[],
  log: string,
): readonly CommitResult[] {
  let at = 0;
  const results = requests.map((request, i): CommitResult => {
    const result: RequestResult = others?.get(i) ?? {
      kind: 'committed',
      leafIndex: leafIndexes[at] ?? Number.NaN,
      used: used[at++]!,
    };
    if (!fits(result, request)) throw new RangeError('the results of a commit do not fit its requests');
    return committedRequest(result, request, log);
  });
  // INVARIANT: every result has found its request; if one is left over, none can be trusted.
  if (at !== leafIndexes.length) throw new RangeError('the results of a commit do not fit its requests');
  return results;
}

/** INVARIANT: doubt never becomes a response. */
function fits(result: RequestResult, { quota }: CommitRequest): boolean {
  if (result.kind === 'committed') return result.leafIndex >= 0;
  return result.kind !== 'quota_exceeded' || quota !== null;
}

/** INVARIANT: one for each outcome sent; otherwise nobody can tell which outcome is durable. */
export function unpackRecorded(
  packed: readonly (OutcomeRecorded | null)[],
  outcomes: readonly NewOutcome[],
): readonly OutcomeRecorded[] {
  if (packed.length !== outcomes.length)
    throw new RangeError('the outcomes that a commit recorded are not those that were sent');
  return outcomes.map((outcome, i) => packed[i] ?? recordedAs(outcome));
}
