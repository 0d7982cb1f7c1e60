/**
 * What crosses a thread with every commit: one buffer that moves over and back, with the bytes of the segment already
 * in place, and beside it as plain values only what few requests have. Cloning the same as objects would cost more
 * than the decision.
 */
import { leafAround } from '@writecheck/ledger';
import type { CheckingKeyKind, CommitEntry, CommitRequest, Committed, RequestOutcome } from '../port.ts';
import type { PlainEntryOutcome, PlainRequestOutcome } from './plain-outcome.ts';

/** Hex digits of a SHA-256. */
const DIGEST_DIGITS = 64;
const NO_DIGEST = '0'.repeat(DIGEST_DIGITS);
const WORD_BYTES = 4;
const NUMBER_BYTES = 8;
const LEAF_BYTES_MAX = 2_048;
const BUFFER_BYTES_MIN = 1 << 20;

/** What few entries have travels as it is. */
type RareOfEntry = Pick<CommitEntry, 'consumes' | 'restsOn' | 'answers'>;
interface RareOfRequest extends Pick<CommitRequest, 'idempotency'> {
  readonly entries: readonly RareOfEntry[];
}
type Account = readonly [workspace: string, keyKind: CheckingKeyKind, limit: number | null];

export interface PackedGroup {
  /**
   * Numbers first: how many requests, how many entries, how long the segment; for each request its account, whether
   * it is to be proven, and how many entries; for each entry its time and where in its leaf the digest goes. Then the
   * segment, with the digests filled in when it comes back.
   */
  readonly buffer: ArrayBuffer;
  readonly accounts: readonly Account[];
  /** By the number of the request. */
  readonly rare: ReadonlyMap<number, RareOfRequest> | null;
}

export interface ArrivedEntry extends RareOfEntry {
  readonly atMs: number;
  readonly record: Buffer;
  /** The digits of its record's digest are still to be filled in, from `digestAt` on. */
  readonly leaf: Buffer;
  readonly digestAt: number;
}

export interface ArrivedRequest extends Omit<CommitRequest, 'entries'> {
  readonly entries: readonly ArrivedEntry[];
}

export interface ArrivedGroup {
  readonly requests: readonly ArrivedRequest[];
  /** All entries of all requests in order, as `encodeSegment` lays them out. */
  readonly segment: Buffer;
}

const NOTHING: readonly never[] = [];
const NOTHING_RARE: RareOfEntry = { consumes: NOTHING, restsOn: NOTHING };
const HEAD_NUMBERS = 3;
const numbersOf = (requests: number, entries: number): number => HEAD_NUMBERS + 3 * requests + 2 * entries;

/** `spare` is used where it is large enough. */
export const packRequests = (
  requests: readonly CommitRequest[],
  log: string,
  spare: ArrayBuffer | null,
): PackedGroup => {
  let count = 0;
  let textLength = 0;
  let intentBytes = 0;
  for (const { entries } of requests) {
    count += entries.length;
    for (const { record } of entries) {
      textLength += record.before.length;
      intentBytes += record.intent.length;
    }
  }
  const segmentAt = numbersOf(requests.length, count) * NUMBER_BYTES;
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  const recordsMax = 3 * textLength + intentBytes;
  const bytesMax = segmentAt + WORD_BYTES + count * (2 * WORD_BYTES + 1 + LEAF_BYTES_MAX) + recordsMax;
  const buffer =
    spare !== null && spare.byteLength >= bytesMax
      ? spare
      : new ArrayBuffer(Math.max(bytesMax, BUFFER_BYTES_MIN));
  const numbers = new Float64Array(buffer, 0, segmentAt / NUMBER_BYTES);
  const bytes = Buffer.from(buffer, segmentAt);
  const accounts: Account[] = [];
  let rare: Map<number, RareOfRequest> | null = null;
  let next = HEAD_NUMBERS;
  let lengthAt = bytes.writeUInt32LE(count, 0);
  let at = WORD_BYTES + count * 2 * WORD_BYTES;
  for (const [i, request] of requests.entries()) {
    const { workspace, keyKind, limit, entries } = request;
    numbers[next++] = accountOf(accounts, workspace, keyKind, limit);
    numbers[next++] = Number(request.proven === true);
    numbers[next++] = entries.length;
    const own = rareOf(request);
    if (own !== null) {
      rare ??= new Map();
      rare.set(i, own);
    }
    for (const { atMs, record, leaf } of entries) {
      const intentAt = at + bytes.write(record.before, at, 'utf8');
      bytes.set(record.intent, intentAt);
      const afterAt = intentAt + record.intent.length;
      const leafAt = afterAt + record.after.length;
      const { before, after } = leafAround(leaf, log, workspace, keyKind);
      const leafBytes = before.length + DIGEST_DIGITS + after.length;
      if (leafBytes > LEAF_BYTES_MAX) throw new RangeError('a leaf is longer than any leaf can be');
      bytes.write(`${record.after}${before}${NO_DIGEST}${after}`, afterAt, 'latin1');
      lengthAt = bytes.writeUInt32LE(leafAt - at, lengthAt);
      lengthAt = bytes.writeUInt32LE(leafBytes, lengthAt);
      numbers[next++] = atMs;
      numbers[next++] = before.length;
      at = leafAt + leafBytes;
    }
  }
  numbers[0] = requests.length;
  numbers[1] = count;
  numbers[2] = at;
  return { buffer, accounts, rare };
};

const accountOf = (
  accounts: Account[],
  workspace: string,
  keyKind: CheckingKeyKind,
  limit: number | null,
): number => {
  const known = accounts.findIndex(
    (account) => account[0] === workspace && account[1] === keyKind && account[2] === limit,
  );
  return known === -1 ? accounts.push([workspace, keyKind, limit]) - 1 : known;
};

const rareOf = ({ idempotency, entries }: CommitRequest): RareOfRequest | null => {
  if (idempotency === null && entries.every(isPlain)) return null;
  return {
    idempotency,
    entries: entries.map(({ consumes, restsOn, answers }) => ({
      consumes,
      restsOn,
      ...(answers === undefined ? {} : { answers }),
    })),
  };
};

const isPlain = ({ consumes, restsOn, answers }: CommitEntry): boolean =>
  consumes.length === 0 && restsOn.length === 0 && answers === undefined;

export const unpackRequests = ({ buffer, accounts, rare }: PackedGroup): ArrivedGroup => {
  const head = new Float64Array(buffer, 0, HEAD_NUMBERS);
  const requestCount = head[0]!;
  const entryCount = head[1]!;
  const numbers = new Float64Array(buffer, 0, numbersOf(requestCount, entryCount));
  const segment = Buffer.from(buffer, numbers.byteLength, head[2]);
  let next = HEAD_NUMBERS;
  let lengthAt = WORD_BYTES;
  let at = WORD_BYTES + entryCount * 2 * WORD_BYTES;
  const requests: ArrivedRequest[] = [];
  for (let i = 0; i < requestCount; i += 1) {
    const [workspace, keyKind, limit] = accounts[numbers[next++]!]!;
    const proven = numbers[next++] === 1;
    const own = rare?.get(i);
    const entries: ArrivedEntry[] = [];
    for (let left = numbers[next++]!; left > 0; left -= 1) {
      const leafAt = at + segment.readUInt32LE(lengthAt);
      const end = leafAt + segment.readUInt32LE(lengthAt + WORD_BYTES);
      const atMs = numbers[next++]!;
      const digestAt = numbers[next++]!;
      const record = segment.subarray(at, leafAt);
      const leaf = segment.subarray(leafAt, end);
      entries.push({ atMs, record, leaf, digestAt, ...(own?.entries[entries.length] ?? NOTHING_RARE) });
      lengthAt += 2 * WORD_BYTES;
      at = end;
    }
    const idempotency = own?.idempotency ?? null;
    requests.push({ workspace, keyKind, limit, entries, idempotency, proven });
  }
  return { requests, segment };
};

/** A request of one committed entry, which nearly all are, becomes two numbers; any other travels as it is. */
export const packOutcomes = (outcomes: readonly PlainRequestOutcome[]): readonly unknown[] => {
  const flat: unknown[] = [];
  for (const outcome of outcomes) {
    const only = outcome.kind === 'done' && outcome.entries.length === 1 ? outcome.entries[0]! : null;
    if (only?.kind === 'committed') {
      const { leafIndex, used, inclusion } = only;
      if (inclusion === undefined) flat.push(leafIndex, used);
      // INVARIANT: true is no number and no outcome, so it tells that a proof follows.
      else {
        const { before, treeSize, root, proof } = inclusion;
        flat.push(true, leafIndex, used, before, treeSize, root, proof);
      }
    } else flat.push(outcome);
  }
  return flat;
};

/** Whether a leaf is of an entry that was committed is for whoever asks to know. */
class ReturnedLeaves {
  readonly #segment: Buffer;
  #lengthAt = WORD_BYTES;
  #at: number;

  constructor(buffer: ArrayBuffer) {
    const [requests, entries, bytes] = new Float64Array(buffer, 0, HEAD_NUMBERS);
    this.#segment = Buffer.from(buffer, numbersOf(requests!, entries!) * NUMBER_BYTES, bytes);
    this.#at = WORD_BYTES + entries! * 2 * WORD_BYTES;
  }

  /** Of the next entry in the order in which they were packed, in base64. */
  next(): string {
    const leafAt = this.#at + this.#segment.readUInt32LE(this.#lengthAt);
    this.skip();
    return this.#segment.toString('base64', leafAt, this.#at);
  }

  skip(): void {
    const recordBytes = this.#segment.readUInt32LE(this.#lengthAt);
    this.#at += recordBytes + this.#segment.readUInt32LE(this.#lengthAt + WORD_BYTES);
    this.#lengthAt += 2 * WORD_BYTES;
  }
}

const returnedLeaves = (moved: ArrayBuffer | null): ReturnedLeaves => {
  if (moved === null) throw new RangeError('the leaves of a commit did not come back');
  return new ReturnedLeaves(moved);
};

/**
 * `requests` are those that were packed: which decision an outcome belongs to is known on this side already. `moved`
 * is the buffer that comes back with the outcomes.
 */
export const unpackOutcomes = (
  flat: readonly unknown[],
  requests: readonly CommitRequest[],
  log: string,
  moved: ArrayBuffer | null,
): readonly RequestOutcome[] => {
  let at = 0;
  const outcomes: RequestOutcome[] = [];
  // INVARIANT: every entry is passed, so that each finds its own leaf.
  const leaves = requests.some(({ proven }) => proven) ? returnedLeaves(moved) : null;
  for (const { entries } of requests) {
    const isProven = flat[at] === true;
    if (isProven) at += 1;
    const next = flat[at++];
    if (typeof next !== 'number') {
      const texts = leaves === null ? [] : entries.map(() => leaves.next());
      outcomes.push(believed(next as PlainRequestOutcome | undefined, entries, log, texts));
      continue;
    }
    const used = flat[at++] as number;
    const decisionId = entries[0]!.leaf.decision_id;
    const entry = { kind: 'committed', decisionId, log, leafIndex: next, used };
    if (!isProven) {
      leaves?.skip();
      outcomes.push({ kind: 'done', entries: [entry as Committed] });
      continue;
    }
    if (leaves === null) throw new RangeError('a proof comes with an outcome that was to have none');
    const proof = { before: flat[at++], treeSize: flat[at++], root: flat[at++], proof: flat[at++] };
    const inclusion = { leaf: leaves.next(), ...proof };
    outcomes.push({ kind: 'done', entries: [{ ...entry, inclusion } as Committed] });
  }
  // INVARIANT: every outcome has found its request; one too many or too few and none can be believed.
  if (at !== flat.length) throw new RangeError('the outcomes of a commit do not fit its requests');
  return outcomes;
};

const believed = (
  outcome: PlainRequestOutcome | undefined,
  requested: CommitRequest['entries'],
  log: string,
  leaves: readonly string[],
): RequestOutcome => {
  if (outcome?.kind !== 'done') return outcome as RequestOutcome;
  if (outcome.entries.length !== requested.length)
    throw new RangeError('an outcome does not fit its request');
  const entries = outcome.entries.map((entry: PlainEntryOutcome, i) => {
    if (entry.kind !== 'committed') return entry;
    const { inclusion, ...rest } = entry;
    const leaf = leaves[i];
    if (inclusion !== undefined && leaf === undefined) throw new RangeError('a proof comes without its leaf');
    const proof = inclusion === undefined ? {} : { inclusion: { ...inclusion, leaf } };
    return { ...rest, ...proof, decisionId: requested[i]!.leaf.decision_id, log } as Committed;
  });
  return { kind: 'done', entries };
};
