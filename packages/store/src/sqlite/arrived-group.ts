/** The writer thread's side of a commit: reads the requests that `commit-wire.ts` laid out, and packs their results. */
import type { Candidate } from '../commit/admit.ts';
import type { EntryResult, RequestResult, TimedEntry } from '../commit/build-commit.ts';
import { compressSegment, type SegmentEntry, type StoredEntry } from '../log/segment.ts';
import { entriesOf } from '../log/segment-layout.ts';
import type { NewOutcome, OutcomeRecorded } from '../port/outcomes.ts';
import type { CommitEntry } from '../port.ts';
import { HASH_BYTES } from '../sha256.ts';
import type { JudgedOutcomes } from '../tables/outcomes.ts';
import {
  type Extra,
  type Extras,
  entryTimes,
  fillInDigest,
  type PackedGroup,
  type PackedResults,
  REQUEST_NUMBERS,
  requestNumbers,
  segmentIn,
} from './commit-wire.ts';

/** Adds what the entry's idempotency key keeps, if it has one. */
type ArrivedExtra = Extra & Pick<CommitEntry, 'answers'>;

export interface ArrivedEntry extends ArrivedExtra, StoredEntry {
  readonly atMs: number;
  /** If the sender has hashed the leaf already. */
  readonly leafHash?: Uint8Array;
  /** If it is redeemed with its decision. */
  readonly redemption?: SegmentEntry;
}

export interface ArrivedGroup {
  /** The buffer in which the group arrived. */
  readonly buffer: SharedArrayBuffer;
  readonly requests: readonly Candidate<ArrivedEntry>[];
  /** All entries of all requests and outcomes in order, in stored form, for the case that all of them are admitted. */
  stored(): Buffer;
  readonly count: number;
  readonly outcomes: readonly NewOutcome[];
  /** The entry of an outcome, by its number. */
  report(number: number): TimedEntry;
}

const NO_OUTCOMES: readonly NewOutcome[] = [];
const NO_EXTRAS: readonly Extras[] = [];
const NO_EXTRA: ArrivedExtra = { consumes: [], restsOn: [] };

/**
 * The same requests, with the digests in their leaves. Doing it twice changes nothing. Throws if the group does not have
 * the layout that `packRequests` writes.
 */
export function unpackRequests(packed: PackedGroup): ArrivedGroup {
  const { requestCount, entryCount, segmentCount, terms, storedBytes } = packed;
  const segment = segmentIn(packed);
  const ofRequests = requestNumbers(packed);
  const times = entryTimes(packed);
  const byPlace =
    storedBytes === null ? unfinishedEntries(packed, segment) : finishedEntries(packed, segment);
  const extras = packed.extras === null ? NO_EXTRAS : (JSON.parse(packed.extras) as Extras[]);
  const requests: Candidate<ArrivedEntry>[] = [];
  let nextExtras = 0;
  let next = 0;
  let place = 0;
  for (let i = 0; i < requestCount; i += 1) {
    const [workspace, keyId, keyKind, quota, freezeNumber, bundle] = terms[ofRequests[REQUEST_NUMBERS * i]!]!;
    const requestExtras = extras[nextExtras]?.number === i ? extras[nextExtras++] : undefined;
    const entries: ArrivedEntry[] = [];
    for (let left = ofRequests[REQUEST_NUMBERS * i + 2]!; left > 0; left -= 1) {
      const extra =
        requestExtras === undefined ? NO_EXTRA : extraIn(requestExtras, entries.length, packed.kept);
      entries.push(byPlace.decision(place, times[next]!, extra));
      next += 1;
      place += extra.redeems === undefined ? 1 : 2;
    }
    const replayableWhile = packed.kept[(requestExtras?.entries[0]?.keptAt ?? 0) - 1] ?? '';
    const idempotency = requestExtras?.idempotency ? { ...requestExtras.idempotency, replayableWhile } : null;
    const proven = ofRequests[REQUEST_NUMBERS * i + 1] === 1;
    const storedBytes = ofRequests[REQUEST_NUMBERS * i + 3]!;
    const asked = { workspace, keyId, keyKind, freezeNumber, quota, entries, idempotency, bundle, proven };
    requests.push({ ...asked, storedBytes });
  }
  const outcomes = packed.outcomes === null ? NO_OUTCOMES : (JSON.parse(packed.outcomes) as NewOutcome[]);
  // INVARIANT: entries that belong to no request would be stored without being admitted.
  if (next !== entryCount || place + outcomes.length !== segmentCount)
    throw new RangeError('the entries of a commit do not fit its requests');
  return {
    buffer: packed.buffer,
    requests,
    count: segmentCount,
    outcomes,
    report: (number) => byPlace.report(place + number, outcomes[number]!.recordedAtMs),
    stored: () =>
      storedBytes === null
        ? compressSegment(segment)
        : Buffer.from(packed.buffer, storedStart(packed, segment), storedBytes),
  };
}

function storedStart({ segmentCount }: PackedGroup, segment: Buffer): number {
  return segment.byteOffset + segment.length + segmentCount * HASH_BYTES;
}

function extraIn({ entries }: Extras, number: number, kept: readonly string[]): ArrivedExtra {
  const { keptAt, ...extra } = entries[number]!;
  if (keptAt === undefined) return extra;
  return { ...extra, answers: { committed: kept[keptAt]!, overQuota: kept[keptAt + 1]! } };
}

/** The entries of a segment, by their places in it. */
interface EntriesByPlace {
  decision(place: number, atMs: number, extra: ArrivedExtra): ArrivedEntry;
  report(place: number, atMs: number): TimedEntry;
}

function unfinishedEntries(packed: PackedGroup, segment: Buffer): EntriesByPlace {
  const stored = entriesOf(segment, packed.segmentCount);
  return {
    decision(place, atMs, extra) {
      const entry = stored[place]!;
      fillInDigest(entry);
      const { record, leaf } = entry;
      return extra.redeems === undefined
        ? { atMs, record, leaf, ...extra }
        : { atMs, record, leaf, ...extra, redemption: stored[place + 1]! };
    },
    report: (place, atMs) => ({ ...stored[place]!, atMs }),
  };
}

function finishedEntries(packed: PackedGroup, segment: Buffer): EntriesByPlace {
  const bytes = new FinishedBytes(packed, segment);
  return {
    decision: (place, atMs, extra) => new FinishedEntry(bytes, place, atMs, extra),
    report: (place, atMs) => new FinishedEntry(bytes, place, atMs, NO_EXTRA),
  };
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

  entry(place: number): StoredEntry {
    this.#entries ??= entriesOf(this.#segment, this.#packed.segmentCount);
    return this.#entries[place]!;
  }

  /** A copy: it may become the root of a tree, and the buffer is reused. */
  leafHash(place: number): Uint8Array {
    const { byteOffset, length } = this.#segment;
    return new Uint8Array(this.#packed.buffer, byteOffset + length + place * HASH_BYTES, HASH_BYTES).slice();
  }
}

class FinishedEntry implements ArrivedEntry {
  readonly #bytes: FinishedBytes;
  readonly #place: number;
  readonly atMs: number;
  readonly consumes: ArrivedExtra['consumes'];
  readonly restsOn: ArrivedExtra['restsOn'];
  readonly answers?: NonNullable<ArrivedExtra['answers']>;
  readonly limits?: NonNullable<ArrivedExtra['limits']>;
  readonly redeems?: NonNullable<ArrivedExtra['redeems']>;
  readonly redemption?: SegmentEntry;

  constructor(bytes: FinishedBytes, place: number, atMs: number, extra: ArrivedExtra) {
    const { consumes, restsOn, answers, limits, redeems } = extra;
    this.#bytes = bytes;
    this.#place = place;
    this.atMs = atMs;
    this.consumes = consumes;
    this.restsOn = restsOn;
    if (answers !== undefined) this.answers = answers;
    if (limits !== undefined) this.limits = limits;
    if (redeems !== undefined) {
      this.redeems = redeems;
      this.redemption = new FinishedEntry(bytes, place + 1, atMs, NO_EXTRA);
    }
  }

  get record(): Buffer {
    return this.#bytes.entry(this.#place).record;
  }

  get leaf(): Buffer {
    return this.#bytes.entry(this.#place).leaf;
  }

  get leafHash(): Uint8Array {
    return this.#bytes.leafHash(this.#place);
  }
}

/** One result for each request and for each reported outcome. */
export function packResults(
  results: readonly RequestResult[],
  recorded: PackedResults['recorded'],
): PackedResults {
  const leafIndexes: number[] = [];
  const used: number[] = [];
  let others: Map<number, RequestResult> | null = null;
  for (const [i, result] of results.entries()) {
    if (result.kind !== 'done' || !result.entries.every(isPlain)) {
      others ??= new Map();
      others.set(i, result);
      continue;
    }
    for (const entry of result.entries) {
      leafIndexes.push(entry.leafIndex);
      used.push(entry.used);
    }
  }
  return { leafIndexes, used, others, recorded };
}

function isPlain(entry: EntryResult): entry is EntryResult & { readonly kind: 'committed' } {
  return entry.kind === 'committed' && entry.inclusion === undefined && entry.limits === undefined;
}

/** Null for outcomes that change the known state: they are recorded as they were sent. */
export function packRecorded(
  outcomes: readonly NewOutcome[],
  { recorded, changed }: JudgedOutcomes,
): readonly (OutcomeRecorded | null)[] {
  return outcomes.map((outcome, i) => (changed.has(outcome) ? null : recorded[i]!));
}
