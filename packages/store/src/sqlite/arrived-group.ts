/** The writer thread's side of a commit: reads the requests that `commit-wire.ts` laid out, and packs their results. */
import { given } from '@writecheck/contract';
import type { Admissible } from '../commit/admit.ts';
import type { RequestResult, TimedEntry } from '../commit/build-commit.ts';
import { compressSegment, type StoredEntry } from '../log/segment.ts';
import { entriesOf } from '../log/segment-layout.ts';
import type { NewOutcome, OutcomeRecorded } from '../port/outcomes.ts';
import { HASH_BYTES } from '../sha256.ts';
import type { JudgedOutcomes } from '../tables/outcomes.ts';
import {
  type Extras,
  fillInDigest,
  type PackedGroup,
  type PackedResults,
  REQUEST_NUMBERS,
  requestNumbers,
  segmentIn,
} from './commit-wire.ts';

type ArrivedEntry = TimedEntry & StoredEntry;

export interface ArrivedRequest extends Admissible {
  /** Its record and leaf, as they are stored. */
  readonly entry: ArrivedEntry;
  /** Its redemption, if it is redeemed in its commit. */
  readonly redemption: ArrivedEntry | null;
}

export interface ArrivedGroup {
  /** The buffer in which the group arrived. */
  readonly buffer: SharedArrayBuffer;
  readonly requests: readonly ArrivedRequest[];
  /** All entries of all requests and outcomes in order, in stored form, for the case that all of them are admitted. */
  stored(): Buffer;
  readonly count: number;
  readonly outcomes: readonly NewOutcome[];
  /** The entry of an outcome, by its number. */
  report(number: number): TimedEntry;
}

const NO_OUTCOMES: readonly NewOutcome[] = [];
const NO_EXTRAS: readonly Extras[] = [];
const PLAIN = { consumes: [], restsOn: [], idempotency: null } as const;

/**
 * The same requests, with the digests in their leaves. Doing it twice changes nothing. Throws if the group does not have
 * the layout that `packRequests` writes.
 */
export function unpackRequests(packed: PackedGroup): ArrivedGroup {
  const { requestCount, segmentCount, terms, storedBytes } = packed;
  const segment = segmentIn(packed);
  const numbers = requestNumbers(packed);
  const entryAt =
    storedBytes === null ? unfinishedEntries(packed, segment) : finishedEntries(packed, segment);
  const allExtras = packed.extras === null ? NO_EXTRAS : (JSON.parse(packed.extras) as Extras[]);
  const requests: ArrivedRequest[] = [];
  let nextExtras = 0;
  let nextKept = 0;
  let place = 0;
  for (let number = 0; number < requestCount; number += 1) {
    const [workspace, keyId, keyKind, quota, freezeNumber, bundle] =
      terms[numbers[REQUEST_NUMBERS * number]!]!;
    const atMs = numbers[REQUEST_NUMBERS * number + 1]!;
    const extras = allExtras[nextExtras]?.number === number ? allExtras[nextExtras++]! : PLAIN;
    let { idempotency } = extras;
    if (idempotency !== null) {
      const [replayableWhile, response] = packed.kept.slice(nextKept, nextKept + 2) as [string, string];
      idempotency = { ...idempotency, replayableWhile, response };
      nextKept += 2;
    }
    const entry = entryAt(place++, atMs);
    const { consumes, restsOn, limits, redeems } = extras as Omit<Extras, 'number'>;
    requests.push({
      workspace,
      keyId,
      keyKind,
      freezeNumber,
      bundle,
      quota,
      storedBytes: numbers[REQUEST_NUMBERS * number + 2]!,
      atMs,
      consumes,
      restsOn,
      ...given({ limits, redeems }),
      idempotency,
      entry,
      redemption: redeems === undefined ? null : entryAt(place++, atMs),
    });
  }
  const outcomes = packed.outcomes === null ? NO_OUTCOMES : (JSON.parse(packed.outcomes) as NewOutcome[]);
  // INVARIANT: entries that belong to no request would be stored without being admitted.
  if (place + outcomes.length !== segmentCount)
    throw new RangeError('the entries of a commit do not fit its requests');
  return {
    buffer: packed.buffer,
    requests,
    count: segmentCount,
    outcomes,
    report: (number) => entryAt(place + number, outcomes[number]!.recordedAtMs),
    stored: () =>
      storedBytes === null
        ? compressSegment(segment)
        : Buffer.from(packed.buffer, storedStart(packed, segment), storedBytes),
  };
}

function storedStart({ segmentCount }: PackedGroup, segment: Buffer): number {
  return segment.byteOffset + segment.length + segmentCount * HASH_BYTES;
}

/** The entries of a segment, by their places in it. */
type EntryAt = (place: number, atMs: number) => ArrivedEntry;

function unfinishedEntries(packed: PackedGroup, segment: Buffer): EntryAt {
  const stored = entriesOf(segment, packed.segmentCount);
  return (place, atMs) => {
    const { record, leaf } = stored[place]!;
    fillInDigest({ record, leaf });
    return { atMs, record, leaf };
  };
}

function finishedEntries(packed: PackedGroup, segment: Buffer): EntryAt {
  const bytes = new FinishedBytes(packed, segment);
  return (place, atMs) => new FinishedEntry(bytes, place, atMs);
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

  constructor(bytes: FinishedBytes, place: number, atMs: number) {
    this.#bytes = bytes;
    this.#place = place;
    this.atMs = atMs;
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
    if (isPlain(result)) {
      leafIndexes.push(result.leafIndex);
      used.push(result.used);
    } else {
      others ??= new Map();
      others.set(i, result);
    }
  }
  return { leafIndexes, used, others, recorded };
}

function isPlain(result: RequestResult): result is RequestResult & { readonly kind: 'committed' } {
  return result.kind === 'committed' && result.limits === undefined;
}

/** Null for outcomes that change the known state: they are recorded as they were sent. */
export function packRecorded(
  outcomes: readonly NewOutcome[],
  { recorded, changed }: JudgedOutcomes,
): readonly (OutcomeRecorded | null)[] {
  return outcomes.map((outcome, i) => (changed.has(outcome) ? null : recorded[i]!));
}
