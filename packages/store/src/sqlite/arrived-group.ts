/** The writer thread's side of a commit: reads the requests that `commit-wire.ts` laid out, and packs their outcomes. */

import type { Candidate, Refused } from '../commit/admit.ts';
import type { RequestResult } from '../commit/build-commit.ts';
import type { NewOutcome, OutcomeRecorded } from '../port/outcomes.ts';
import type { CommitEntry, FoundLimits, Inclusion } from '../port.ts';
import { compressSegment, type StoredEntry } from '../segment.ts';
import { entriesOf } from '../segment-layout.ts';
import { HASH_BYTES } from '../sha256.ts';
import { claimOfText } from './claim-wire.ts';
import {
  type Extra,
  entryTimes,
  fillInDigest,
  OVER_QUOTA,
  type PackedGroup,
  type PackedOutcomes,
  requestNumbers,
  segmentIn,
} from './commit-wire.ts';
import { limitsOfText } from './limits-wire.ts';

/** With what it was decided with, if limits apply. */
type ArrivedExtra = Extra & Pick<CommitEntry, 'limits'>;

export interface ArrivedEntry extends ArrivedExtra {
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
  readonly outcomes: readonly NewOutcome[];
}

const NO_OUTCOMES: readonly NewOutcome[] = [];
const NO_EXTRA: ArrivedExtra = { consumes: [], restsOn: [] };

/**
 * The same requests, with the digests in their leaves. Doing it twice changes nothing. Throws if the group does not have
 * the layout that `packRequests` writes.
 */
export function unpackRequests(packed: PackedGroup): ArrivedGroup {
  const { requestCount, entryCount, accounts, extras, claims, limits, storedBytes } = packed;
  const segment = segmentIn(packed);
  const ofRequests = requestNumbers(packed);
  const entryOf =
    storedBytes === null ? unfinishedEntries(packed, segment) : finishedEntries(packed, segment);
  const requests: Candidate<ArrivedEntry>[] = [];
  let next = 0;
  for (let i = 0; i < requestCount; i += 1) {
    const [workspace, keyId, keyKind, limit, freezeNumber, bundle] = accounts[ofRequests[3 * i]!]!;
    const claim = claims?.get(i);
    const own = claim === undefined ? extras?.get(i) : ownOf(claim);
    const entries: ArrivedEntry[] = [];
    for (let left = ofRequests[3 * i + 2]!; left > 0; left -= 1) {
      const extra = own?.entries[entries.length] ?? NO_EXTRA;
      const limited = limits?.get(next);
      entries.push(
        entryOf(next, limited === undefined ? extra : { ...extra, limits: limitsOfText(limited) }),
      );
      next += 1;
    }
    const idempotency = own?.idempotency ?? null;
    const proven = ofRequests[3 * i + 1] === 1;
    const request = { workspace, keyId, keyKind, freezeNumber, limit, entries, idempotency, proven };
    requests.push(bundle === undefined ? request : { ...request, bundle });
  }
  // INVARIANT: entries that belong to no request would be stored without being admitted.
  if (next !== entryCount) throw new RangeError('the entries of a commit do not fit its requests');
  return {
    buffer: packed.buffer,
    requests,
    count: entryCount,
    outcomes: packed.outcomes === null ? NO_OUTCOMES : (JSON.parse(packed.outcomes) as NewOutcome[]),
    stored: () =>
      storedBytes === null
        ? compressSegment(segment)
        : Buffer.from(packed.buffer, storedStart(packed, segment), storedBytes),
  };
}

function storedStart({ entryCount }: PackedGroup, segment: Buffer): number {
  return segment.byteOffset + segment.length + entryCount * HASH_BYTES;
}

function ownOf(text: string) {
  const { idempotency, entry } = claimOfText(text);
  return { idempotency, entries: [entry] };
}

type EntryOf = (index: number, extra: ArrivedExtra) => ArrivedEntry;

function unfinishedEntries(packed: PackedGroup, segment: Buffer): EntryOf {
  const times = entryTimes(packed);
  const stored = entriesOf(segment, packed.entryCount);
  return (index, extra) => {
    const entry = stored[index]!;
    fillInDigest(entry);
    const { record, leaf } = entry;
    const atMs = times[index]!;
    return { atMs, record, leaf, ...extra };
  };
}

function finishedEntries(packed: PackedGroup, segment: Buffer): EntryOf {
  const times = entryTimes(packed);
  const bytes = new FinishedBytes(packed, segment);
  return (index, extra) => new FinishedEntry(bytes, index, times[index]!, extra);
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
  readonly consumes: ArrivedExtra['consumes'];
  readonly restsOn: ArrivedExtra['restsOn'];
  readonly answers?: NonNullable<ArrivedExtra['answers']>;
  readonly limits?: NonNullable<ArrivedExtra['limits']>;
  readonly redeems?: NonNullable<ArrivedExtra['redeems']>;

  constructor(bytes: FinishedBytes, index: number, atMs: number, extra: ArrivedExtra) {
    const { consumes, restsOn, answers, limits, redeems } = extra;
    this.#bytes = bytes;
    this.#index = index;
    this.atMs = atMs;
    this.consumes = consumes;
    this.restsOn = restsOn;
    if (answers !== undefined) this.answers = answers;
    if (limits !== undefined) this.limits = limits;
    if (redeems !== undefined) this.redeems = redeems;
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

/** One result for each request, and one for each reported outcome. */
export function packOutcomes(
  results: readonly RequestResult[],
  requests: readonly { readonly entries: readonly unknown[] }[],
  recorded: readonly OutcomeRecorded[] = [],
): PackedOutcomes {
  const leafIndexes: number[] = [];
  const used: number[] = [];
  let refused: Map<number, Refused> | null = null;
  let inclusions: Map<number, Inclusion> | null = null;
  let limits: Map<number, FoundLimits> | null = null;
  for (const [i, result] of results.entries()) {
    if (result.kind !== 'done') {
      refused ??= new Map();
      refused.set(i, result);
      for (const _ of requests[i]!.entries) {
        leafIndexes.push(Number.NaN);
        used.push(Number.NaN);
      }
      continue;
    }
    for (const entry of result.entries) {
      const at = leafIndexes.push(entry.kind === 'committed' ? entry.leafIndex : OVER_QUOTA) - 1;
      used.push(entry.used);
      if (entry.kind === 'committed' && entry.inclusion !== undefined) {
        inclusions ??= new Map();
        inclusions.set(at, entry.inclusion);
      }
      if (entry.kind === 'committed' && entry.limits !== undefined) {
        limits ??= new Map();
        limits.set(at, entry.limits);
      }
    }
  }
  return {
    leafIndexes,
    used,
    refused,
    inclusions,
    limits,
    recorded: recorded.length === 0 ? null : JSON.stringify(recorded),
  };
}
