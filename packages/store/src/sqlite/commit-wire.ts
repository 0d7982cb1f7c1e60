/**
 * The caller's side of a commit: how a group of requests reaches the writer thread, and how its outcomes are read. One
 * buffer moves over and comes back for the next commit: it holds a few numbers of each request and entry, and their
 * records and leaves, already laid out as the stored segment. Only what few requests have travels beside it as plain
 * values. `npm run bench -- micro`, case `commit-wire`.
 */
import { hash } from 'node:crypto';
import { leafHash, leafText } from '@writecheck/ledger/log';
import type { Refused } from '../commit/admit.ts';
import { committed } from '../commit/committed.ts';
import { redemptionLeaf } from '../commit/new-entries.ts';
import { compressSegment, giveBackCompressed } from '../log/segment.ts';
import {
  entriesOf,
  type LaidRecord,
  SegmentWriter,
  type StoredEntry,
  segmentBytesMax,
} from '../log/segment-layout.ts';
import type { NewOutcome } from '../port/outcomes.ts';
import type {
  CheckingKeyKind,
  CommitEntry,
  CommitEntryResult,
  CommitRequest,
  CommitResult,
  DecidingBundle,
  FoundLimits,
  Inclusion,
} from '../port.ts';
import { HASH_BYTES, sha256 } from '../sha256.ts';
import { claimText } from './claim-wire.ts';
import { limitsText } from './limits-wire.ts';
import { type LaidOutcome, laidOutcomes, type PackedRecorded } from './outcome-wire.ts';

/** As long as the digest that is filled in once the record is hashed. */
const NO_DIGEST = `sha256:${'0'.repeat(64)}`;
const BEFORE_DIGEST = '"recordDigest":"sha256:';
const LEAF_BYTES_MAX = 2_048;
const BUFFER_BYTES_MIN = 1 << 20;
const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;
/** A page of the database: what the sender compresses below it saves the writer thread nothing. */
const FINISH_FROM_BYTES = 4_096;

/** What few entries have. */
export type Extra = Pick<CommitEntry, 'consumes' | 'restsOn' | 'answers' | 'redeems'>;
interface Extras extends Pick<CommitRequest, 'idempotency'> {
  readonly entries: readonly Extra[];
}
type Account = readonly [
  workspace: string,
  keyId: string,
  keyKind: CheckingKeyKind,
  quota: number | null,
  freezeNumber: number,
  bundle: DecidingBundle | undefined,
];

export interface PackedGroup {
  /**
   * The numbers, then the segment, whose leaves still lack the digests of the records. A finished group has the
   * digests, then the hashes of the leaves, then the segment in its stored form.
   */
  readonly buffer: ArrayBuffer;
  readonly requestCount: number;
  readonly entryCount: number;
  /** With the redemptions, each after its decision, and the reported outcomes, after everything else. */
  readonly segmentCount: number;
  readonly segmentBytes: number;
  /** Requests refer to an account by its place in this list. */
  readonly accounts: readonly Account[];
  /** By the number of the request. */
  readonly extras: ReadonlyMap<number, Extras> | null;
  /** By the number of the request, as `claimText` writes them; such a request has no extras. */
  readonly claims: ReadonlyMap<number, string> | null;
  /** By the number of the entry, as `limitsText` writes them. */
  readonly limits: ReadonlyMap<number, string> | null;
  /** Reported outcomes in JSON. */
  readonly outcomes: string | null;
  /** The length of the stored form; null if the writer thread is to hash and compress. */
  readonly storedBytes: number | null;
}

/** Three for each request: its account, whether it asks for proof, and its number of entries. */
export function requestNumbers({
  buffer,
  requestCount,
}: Pick<PackedGroup, 'buffer' | 'requestCount'>): Float64Array {
  return new Float64Array(buffer, 0, 3 * requestCount);
}

/** One for each entry: its time. */
export function entryTimes({
  buffer,
  requestCount,
  entryCount,
}: Pick<PackedGroup, 'buffer' | 'requestCount' | 'entryCount'>): Float64Array {
  return new Float64Array(buffer, 3 * requestCount * NUMBER_BYTES, entryCount);
}

function numberBytes(requestCount: number, entryCount: number): number {
  return (3 * requestCount + entryCount) * NUMBER_BYTES;
}

/** `spare` is used if it is large enough. */
export function packRequests(
  requests: readonly CommitRequest[],
  log: string,
  spare: ArrayBuffer | null,
  outcomes: readonly NewOutcome[] = [],
): PackedGroup {
  const requestCount = requests.length;
  const laid = outcomes.length === 0 ? NOTHING_LAID : laidOutcomes(log, outcomes);
  const { entryCount, segmentCount, bytesMax } = sizeOf(requests, laid);
  const buffer =
    spare !== null && spare.byteLength >= bytesMax
      ? spare
      : new ArrayBuffer(Math.max(bytesMax, BUFFER_BYTES_MIN));
  const ofRequests = requestNumbers({ buffer, requestCount });
  const times = entryTimes({ buffer, requestCount, entryCount });
  const writer = new SegmentWriter(Buffer.from(buffer, numberBytes(requestCount, entryCount)), segmentCount);
  const accounts: Account[] = [];
  let extras: Map<number, Extras> | null = null;
  let claims: Map<number, string> | null = null;
  let limited: Map<number, string> | null = null;
  let next = 0;
  for (const [i, request] of requests.entries()) {
    const { workspace, keyId, keyKind, entries } = request;
    ofRequests[3 * i] = accountOf(accounts, request);
    ofRequests[3 * i + 1] = Number(request.proven === true);
    ofRequests[3 * i + 2] = entries.length;
    const claim = request.idempotency === null ? null : claimText(request);
    const own = claim === null ? extrasOf(request) : null;
    if (claim !== null) {
      claims ??= new Map();
      claims.set(i, claim);
    }
    if (own !== null) {
      extras ??= new Map();
      extras.set(i, own);
    }
    for (const { atMs, record, leaf, limits, redeems } of entries) {
      writer.add(record, fitting(leafText({ ...leaf, log, workspace, keyKind, recordDigest: NO_DIGEST })));
      if (redeems !== undefined)
        writer.add(NO_RECORD, fitting(redemptionLeaf(log, { ...redeems, workspace, keyId, keyKind, atMs })));
      if (limits !== undefined) {
        limited ??= new Map();
        limited.set(next, limitsText(limits));
      }
      times[next++] = atMs;
    }
  }
  for (const { record, leaf } of laid) writer.add(record, fitting(leaf));
  const segmentBytes = writer.length;
  return {
    buffer,
    requestCount,
    entryCount,
    segmentCount,
    segmentBytes,
    accounts,
    extras,
    claims,
    limits: limited,
    outcomes: outcomes.length === 0 ? null : JSON.stringify(outcomes),
    storedBytes: null,
  };
}

const NO_RECORD: LaidRecord = { before: '', intent: new Uint8Array(0), after: '' };
const NOTHING_LAID: readonly LaidOutcome[] = [];

function fitting(leaf: string): string {
  if (leaf.length > LEAF_BYTES_MAX) throw new RangeError('a leaf is longer than any leaf can be');
  return leaf;
}

/**
 * Hashes and compresses on the sender's thread, where the writer thread serves several: then it has little to do for
 * each request. Unchanged if the buffer has no room for the result, which is rare.
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

export function segmentIn({ buffer, requestCount, entryCount, segmentBytes }: PackedGroup): Buffer {
  return Buffer.from(buffer, numberBytes(requestCount, entryCount), segmentBytes);
}

function sizeOf(
  requests: readonly CommitRequest[],
  laid: readonly LaidOutcome[],
): { readonly entryCount: number; readonly segmentCount: number; readonly bytesMax: number } {
  let entryCount = 0;
  let segmentCount = laid.length;
  let contentBytesMax = 0;
  for (const { record } of laid) contentBytesMax += 3 * record.before.length;
  for (const { entries } of requests) {
    entryCount += entries.length;
    segmentCount += entries.length;
    for (const { record, redeems } of entries) {
      if (redeems !== undefined) segmentCount += 1;
      // A UTF-16 code unit takes at most three bytes in UTF-8.
      contentBytesMax += 3 * record.before.length + record.intent.length + record.after.length;
    }
  }
  const segmentMax = segmentBytesMax(segmentCount, contentBytesMax + segmentCount * LEAF_BYTES_MAX);
  return { entryCount, segmentCount, bytesMax: numberBytes(requests.length, entryCount) + segmentMax };
}

function accountOf(
  accounts: Account[],
  { workspace, keyId, keyKind, quota, freezeNumber, bundle }: CommitRequest,
): number {
  const known = accounts.findIndex(
    (account) =>
      account[0] === workspace &&
      account[1] === keyId &&
      account[2] === keyKind &&
      account[3] === quota &&
      account[4] === freezeNumber &&
      account[5]?.digest === bundle?.digest,
  );
  return known === -1 ? accounts.push([workspace, keyId, keyKind, quota, freezeNumber, bundle]) - 1 : known;
}

function extrasOf({ idempotency, entries }: CommitRequest): Extras | null {
  if (idempotency === null && entries.every(isPlain)) return null;
  return {
    idempotency,
    entries: entries.map(({ consumes, restsOn, answers, redeems }) => ({
      consumes,
      restsOn,
      ...(answers === undefined ? {} : { answers }),
      ...(redeems === undefined ? {} : { redeems }),
    })),
  };
}

function isPlain({ consumes, restsOn, answers, redeems }: CommitEntry): boolean {
  return consumes.length === 0 && restsOn.length === 0 && answers === undefined && redeems === undefined;
}

export const OVER_QUOTA = -1;

/** How its outcomes come back: two numbers for each entry, and plain values only for what few requests have. */
export interface PackedResults {
  /** For each entry of each request, the index of its leaf, or `OVER_QUOTA`; no number if its request was refused. */
  readonly leafIndexes: readonly number[];
  readonly used: readonly number[];
  /** By the number of the request. */
  readonly refused: ReadonlyMap<number, Refused> | null;
  /** By the number of the entry. */
  readonly inclusions: ReadonlyMap<number, Inclusion> | null;
  /** By the number of the entry: of those whose counters moved. */
  readonly limits: ReadonlyMap<number, FoundLimits> | null;
  /** What became of reported outcomes; null if none was. */
  readonly recorded: PackedRecorded | null;
}

/** `requests` are those that were sent: this side already knows which decision an outcome belongs to. */
export function unpackResults(
  packed: PackedResults,
  requests: readonly CommitRequest[],
  log: string,
): readonly CommitResult[] {
  let at = 0;
  const outcomes = requests.map((request, i): CommitResult => {
    const refused = packed.refused?.get(i);
    if (refused !== undefined) {
      at += request.entries.length;
      return refused;
    }
    return {
      kind: 'done',
      entries: request.entries.map((_, j) => unpackEntry(packed, at++, request, j, log)),
    };
  });
  // INVARIANT: every outcome has found its request; with one too many or too few, none can be trusted.
  if (at !== packed.leafIndexes.length)
    throw new RangeError('the outcomes of a commit do not fit its requests');
  return outcomes;
}

function unpackEntry(
  { leafIndexes, used: uses, inclusions, limits }: PackedResults,
  at: number,
  { entries, quota, proven }: CommitRequest,
  j: number,
  log: string,
): CommitEntryResult {
  const leafIndex = leafIndexes[at];
  const used = uses[at]!;
  if (leafIndex === OVER_QUOTA && quota !== null) return { kind: 'quota_exceeded', used, limit: quota };
  const inclusion = inclusions?.get(at);
  // INVARIANT: doubt never becomes a response or a receipt.
  if (leafIndex === undefined || !(leafIndex >= 0) || (inclusion !== undefined) !== (proven === true))
    throw new RangeError('the outcomes of a commit do not fit its requests');
  const moved = limits?.get(at);
  return committed(entries[j]!.leaf.decision_id, log, leafIndex, used, {
    ...(inclusion !== undefined && { inclusion }),
    ...(moved !== undefined && { limits: moved }),
  });
}
