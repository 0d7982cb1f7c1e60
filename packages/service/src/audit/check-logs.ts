/**
 * The check at every start: each log must still be what its newest checkpoint signs. Only the tail is read, so it
 * takes as long for two million entries as for two thousand.
 */
import {
  type Checkpoint,
  digestOf,
  Frontier,
  leafHash,
  openCheckpoint,
  parseEntry,
  type VerifierKey,
  verifyInclusion,
} from '@writecheck/ledger';
import type { Decisions, LogHead, LogKeeping, StoredCheckpoint } from '../store/port.ts';
import { inclusionOf, rootAt, sha256 } from './log-hashes.ts';
import type { TrustedSize } from './log-notary.ts';
import { LogRefused } from './log-refused.ts';

/** How many of the entries that a checkpoint covers are proven to be those that were signed. */
const TAIL = 128;
const SEGMENTS_AT_ONCE = 8;
const HASH_BYTES = 32;
const MEND =
  'restore the data folder from a backup; after a restored backup run `writecheck audit restore`, which starts a new log';

type LogStore = Pick<Decisions, 'logs' | 'segments'> & LogKeeping;

const refuse = (log: string, what: string): LogRefused =>
  new LogRefused(`the service does not run on log \`${log}\`: ${what}; ${MEND}`);

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/**
 * Throws `LogRefused`, naming the entry. `kept` is the note of the newest checkpoint that was kept beside the
 * database, where there is one. Resolves with the signed size of each log.
 */
export const checkLogs = async (
  store: LogStore,
  keys: readonly VerifierKey[],
  kept: string | null,
): Promise<ReadonlyMap<string, TrustedSize>> => {
  // Checkpoints before heads: another process may be appending, and a head is then only the larger.
  const names = (await store.logs()).map(({ log }) => log);
  const checkpoints = new Map<string, StoredCheckpoint | null>();
  for (const log of names) checkpoints.set(log, await store.newestCheckpoint(log));
  const trusted = new Map<string, TrustedSize>();
  for (const head of await store.logs()) {
    const signed = checkpoints.get(head.log) ?? null;
    const size = await checkLog(store, head, signed, keys);
    if (size !== null) trusted.set(head.log, size);
  }
  if (kept !== null) await checkKept(store, kept, keys);
  return trusted;
};

const checkLog = async (
  store: LogStore,
  head: LogHead,
  signed: StoredCheckpoint | null,
  keys: readonly VerifierKey[],
): Promise<TrustedSize | null> => {
  const { log } = head;
  const checkpoint = signed === null ? null : await opened(signed, keys);
  const size = checkpoint?.size ?? 0;
  if (size > head.size) {
    throw refuse(log, `entry ${head.size} is missing: ${size} entries are signed, ${head.size} are there`);
  }
  // INVARIANT: the frontier's root is the signed one, see `opened`.
  const frontier = signed === null ? new Frontier(sha256) : Frontier.fromBytes(signed.frontier, sha256)!;
  let next = Math.max(0, size - TAIL);
  for await (const { index, hashed } of tailOf(store, head, next)) {
    if (index !== next) throw refuse(log, `entry ${next} is missing`);
    next += 1;
    if (checkpoint === null || index >= size) frontier.append(hashed);
    else if (!(await isProven(store, checkpoint, index, hashed))) {
      throw refuse(log, `entry ${index} is not the one that was signed`);
    }
  }
  if (next !== head.size) throw refuse(log, `entry ${next} is missing, ${head.size} should be there`);
  if (!same(frontier.toBytes(), head.frontier)) {
    throw refuse(log, `entry ${size} or one after it is not the one that was appended`);
  }
  return checkpoint === null ? null : { size, root: checkpoint.root };
};

const opened = async (signed: StoredCheckpoint, keys: readonly VerifierKey[]): Promise<Checkpoint> => {
  const { log, size, note } = signed;
  const result = await openCheckpoint(note, keys);
  if (result.kind === 'refused') throw refuse(log, `at entry ${size}, ${result.message}`);
  const frontier = Frontier.fromBytes(signed.frontier, sha256);
  const { checkpoint } = result;
  const fits = checkpoint.log === log && checkpoint.size === size && frontier?.size === size;
  if (!fits || !same(frontier.root(), checkpoint.root)) {
    throw refuse(log, `the frontier at entry ${size} is not the one that was signed`);
  }
  return checkpoint;
};

const isProven = async (
  store: LogStore,
  { log, size, root }: Checkpoint,
  index: number,
  hashed: Uint8Array,
): Promise<boolean> => {
  const proof = await inclusionOf(store, log, index, size);
  return verifyInclusion({ leafHash: hashed, index, size, proof, root }, sha256);
};

/** The entries from `from` up to the head, each held against the hash and the record stored with it. */
async function* tailOf(
  store: LogStore,
  { log, size }: LogHead,
  from: number,
): AsyncGenerator<{ readonly index: number; readonly hashed: Uint8Array }> {
  for (let at = from; at < size; ) {
    const segments = await store.segments(log, at, SEGMENTS_AT_ONCE);
    if (segments.length === 0) return;
    for (const { firstIndex, entries, leafHashes } of segments) {
      for (const [i, entry] of entries.entries()) {
        const index = firstIndex + i;
        if (index < at || index >= size) continue;
        const hashed = leafHashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES);
        const fault = faultOf(entry, hashed, log);
        if (fault !== null) throw refuse(log, `entry ${index} ${fault}`);
        yield { index, hashed };
      }
      at = Math.max(at, firstIndex + entries.length);
    }
  }
}

const faultOf = (
  { leaf, record }: { readonly leaf: Uint8Array; readonly record: Uint8Array },
  hashed: Uint8Array,
  log: string,
): string | null => {
  // Of a pruned entry only the hash is left, which the tree then has to vouch for.
  if (leaf.length === 0) return record.length === 0 ? null : 'was pruned and has a record all the same';
  if (!same(leafHash(leaf, sha256), hashed)) return 'is not the one that was hashed';
  const entry = parseEntry(leaf);
  if (entry === null) return 'cannot be read';
  if (entry.kind !== 'decision') return entry.log === log ? null : `says it belongs to log \`${entry.log}\``;
  if (entry.leaf.log !== log) return `says it belongs to log \`${entry.leaf.log}\``;
  return digestOf(record, sha256) === entry.leaf.recordDigest ? null : 'has another record than was recorded';
};

/** Against a database that was put back: what is kept beside it knows of more, or of other entries. */
const checkKept = async (store: LogStore, kept: string, keys: readonly VerifierKey[]): Promise<void> => {
  const result = await openCheckpoint(kept, keys);
  if (result.kind === 'refused') {
    throw new LogRefused(
      `the checkpoint kept beside the database cannot be relied on: ${result.message}; ${MEND}`,
    );
  }
  const { log, size, root } = result.checkpoint;
  const head = (await store.logs()).find((each) => each.log === log);
  if (head === undefined) {
    throw refuse(log, 'a checkpoint of it is kept beside the database, which does not hold that log');
  }
  if (size > head.size) {
    throw refuse(
      log,
      `entry ${head.size} is missing: a checkpoint of ${size} entries is kept, ${head.size} are there`,
    );
  }
  if (!same(await rootAt(store, log, size), root)) {
    throw refuse(log, `the first ${size} entries, up to entry ${size - 1}, are not those that were signed`);
  }
};
