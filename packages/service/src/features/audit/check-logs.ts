/**
 * The check at every start: each log must still match its newest checkpoint. It reads only the tail, so it takes as
 * long for two million entries as for two thousand.
 */
import {
  type Checkpoint,
  digestOf,
  Frontier,
  leafHash,
  nodeHash,
  openCheckpoint,
  parseEntry,
  TILE_WIDTH,
  type VerifierKey,
  verifyInclusion,
} from '@writecheck/ledger/log';
import type { LogHead, LogKeeping, Store, StoredCheckpoint } from '@writecheck/store/port';
import { areSameBytes, HASH_BYTES, sha256 } from '@writecheck/store/sha256';
import { calledAs } from '../../support/called-as.ts';
import { continuationReader } from './continuations.ts';
import type { KeptCheckpoint } from './kept-checkpoint.ts';
import { lastBlockInclusionOf, rootAt } from './log-hashes.ts';
import type { TrustedSize } from './log-notary.ts';
import { LogRefused } from './log-refused.ts';

const SEGMENTS_AT_ONCE = 8;
const RESTORE = `stop all replicas, then run \`${calledAs()} audit restore\` once, which continues in a new log`;
const FIX = `restore the data folder from a backup; after a restored backup or a failover, ${RESTORE}`;

type LogStore = LogKeeping & Pick<Store, 'logs' | 'segments' | 'newestCheckpoint'>;

function refuse(log: string, what: string): LogRefused {
  return new LogRefused(`the service cannot run on log \`${log}\`: ${what}; ${FIX}`);
}

interface CheckedLogs {
  /** The signed size of each log. */
  readonly trusted: ReadonlyMap<string, TrustedSize>;
  /** If this folder saw entries that the store lost, and the logs were continued on record since. */
  readonly notice: string | null;
}

interface LogCheck {
  readonly keys: readonly VerifierKey[];
  /** The newest checkpoint kept beside the database, if there is one. */
  readonly kept: KeptCheckpoint | null;
  readonly isRestoring: boolean;
}

/** Throws `LogRefused`, naming the entry. */
export async function checkLogs(
  store: LogStore,
  { keys, kept, isRestoring }: LogCheck,
): Promise<CheckedLogs> {
  const [lost] = isRestoring ? [] : await store.lostEntries();
  if (lost !== undefined) {
    throw new LogRefused(
      `entries of log \`${lost.log}\` were lost: ${lost.size} were recorded, and the database lacks some of them; ${RESTORE}`,
    );
  }
  // Checkpoints are read before heads: another process may be appending, and a head can then only be larger.
  const names = (await store.logs()).map(({ log }) => log);
  const checkpoints = new Map<string, StoredCheckpoint | null>();
  for (const log of names) checkpoints.set(log, await store.newestCheckpoint(log));
  const trusted = new Map<string, TrustedSize>();
  for (const head of await store.logs()) {
    const found = checkpoints.get(head.log) ?? null;
    // A restore ends a log where it is now, even if more was signed.
    const signed = isRestoring && found !== null && found.size > head.size ? null : found;
    const size = await checkLog(store, head, signed, keys);
    if (size !== null) trusted.set(head.log, size);
  }
  return { trusted, notice: kept === null ? null : await checkKept(store, kept, keys) };
}

async function checkLog(
  store: LogStore,
  head: LogHead,
  signed: StoredCheckpoint | null,
  keys: readonly VerifierKey[],
): Promise<TrustedSize | null> {
  const { log } = head;
  const checkpoint = signed === null ? null : await opened(signed, keys);
  const size = checkpoint?.size ?? 0;
  if (size > head.size) {
    throw refuse(log, `entry ${head.size} is missing: ${size} entries are signed, ${head.size} are there`);
  }
  const begin = Math.max(0, Math.floor(size / TILE_WIDTH) - 1) * TILE_WIDTH;
  const hashes = await tailOf(store, head, begin);
  if (signed !== null) await checkSigned(store, signed, hashes.slice(0, size - begin), begin);
  // INVARIANT: the frontier's root is the signed one, see `opened`.
  const frontier = signed === null ? new Frontier(sha256) : Frontier.fromBytes(signed.frontier, sha256)!;
  for (const hashed of hashes.slice(size - begin)) frontier.append(hashed);
  if (!areSameBytes(frontier.toBytes(), head.frontier)) {
    throw refuse(log, `entry ${size} or one after it is not the one that was appended`);
  }
  return checkpoint === null ? null : { size, root: checkpoint.root };
}

/**
 * Compares the newest entries that a checkpoint covers with the subtrees it signs. If an entry was changed together
 * with its hash, nobody can tell which entry of the subtree it was; the subtrees at the end are small.
 */
async function checkSigned(
  store: LogStore,
  { log, size, frontier }: StoredCheckpoint,
  hashes: readonly Uint8Array[],
  begin: number,
): Promise<void> {
  const rootOf = (from: number, to: number): Uint8Array => {
    const tree = new Frontier(sha256);
    for (const hashed of hashes.slice(from - begin, to - begin)) tree.append(hashed);
    return tree.root();
  };
  const refuseRange = (from: number, to: number): LogRefused => {
    const which = to - from === 1 ? `entry ${from}` : `one of the entries ${from} to ${to - 1}`;
    return refuse(log, `${which} is not the one that was signed`);
  };
  const edges = edgesOf(frontier);
  for (const { from, to, hash } of edges.filter((edge) => edge.to - edge.from < TILE_WIDTH)) {
    if (!areSameBytes(rootOf(from, to), hash)) throw refuseRange(from, to);
  }
  const blocks = Math.floor(size / TILE_WIDTH);
  if (blocks === 0) return;
  const root = edges
    .filter((edge) => edge.to - edge.from >= TILE_WIDTH)
    .map(({ hash }) => hash)
    .reduceRight((right, left) => nodeHash(left, right, sha256));
  const proof = await lastBlockInclusionOf(store, log, blocks);
  const leaf = rootOf(begin, begin + TILE_WIDTH);
  const claim = { leafHash: leaf, index: blocks - 1, size: blocks, proof, root };
  if (!verifyInclusion(claim, sha256)) throw refuseRange(begin, begin + TILE_WIDTH);
}

/** The complete subtrees at the right edge, largest first. */
function edgesOf(frontier: Uint8Array) {
  return Frontier.fromBytes(frontier)!
    .edges()
    .map(({ level, index, hash }) => ({ from: index * 2 ** level, to: (index + 1) * 2 ** level, hash }))
    .reverse();
}

async function opened(signed: StoredCheckpoint, keys: readonly VerifierKey[]): Promise<Checkpoint> {
  const { log, size, note } = signed;
  const result = await openCheckpoint(note, keys);
  if (result.kind === 'refused') throw refuse(log, `at entry ${size}, ${result.message}`);
  const frontier = Frontier.fromBytes(signed.frontier, sha256);
  const { checkpoint } = result;
  const fits = checkpoint.log === log && checkpoint.size === size && frontier?.size === size;
  if (!fits || !areSameBytes(frontier.root(), checkpoint.root)) {
    throw refuse(log, `the frontier at entry ${size} is not the one that was signed`);
  }
  return checkpoint;
}

/** The leaf hashes from `from` up to the head, each compared with the entry and the record stored with it. */
async function tailOf(store: LogStore, { log, size }: LogHead, from: number): Promise<readonly Uint8Array[]> {
  const hashes: Uint8Array[] = [];
  for (let at = from; at < size; ) {
    const segments = await store.segments(log, at, SEGMENTS_AT_ONCE);
    if (segments.length === 0) throw refuse(log, `entry ${at} is missing, ${size} should be there`);
    for (const { firstIndex, entries, leafHashes } of segments) {
      // Another process has appended since the head was read.
      if (at >= size) break;
      if (firstIndex > at) throw refuse(log, `entry ${at} is missing`);
      for (; at < Math.min(size, firstIndex + entries.length); at += 1) {
        const i = at - firstIndex;
        const hashed = leafHashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES);
        const fault = faultOf(entries[i]!, hashed, log);
        if (fault !== null) throw refuse(log, `entry ${at} ${fault}`);
        hashes.push(hashed);
      }
    }
  }
  return hashes;
}

function faultOf(
  { leaf, record }: { readonly leaf: Uint8Array; readonly record: Uint8Array },
  hashed: Uint8Array,
  log: string,
): string | null {
  // A pruned entry keeps only its hash, which the tree then has to prove.
  if (leaf.length === 0) return record.length === 0 ? null : 'was pruned but still has a record';
  if (!areSameBytes(leafHash(leaf, sha256), hashed)) return 'is not the one that was hashed';
  const entry = parseEntry(leaf);
  if (entry === null) return 'cannot be read';
  if (entry.kind !== 'decision') return entry.log === log ? null : `says it belongs to log \`${entry.log}\``;
  if (entry.leaf.log !== log) return `says it belongs to log \`${entry.leaf.log}\``;
  return digestOf(record, sha256) === entry.leaf.recordDigest
    ? null
    : 'has a different record than the one recorded';
}

/**
 * Detects a database that was restored to an earlier state: the kept checkpoint covers more entries, or different
 * ones.
 */
async function checkKept(
  store: LogStore,
  { note, continuations }: KeptCheckpoint,
  keys: readonly VerifierKey[],
): Promise<string | null> {
  const result = await openCheckpoint(note, keys);
  if (result.kind === 'refused') {
    throw new LogRefused(
      `the checkpoint saved beside the database is not reliable: ${result.message}; ${FIX}`,
    );
  }
  const fault = await faultOfKept(store, result.checkpoint);
  if (fault === null) return null;
  const { log, size } = result.checkpoint;
  // INVARIANT: a log that this folder has not seen may begin with a continuation only if that is on record.
  const found = await continuationReader(store)();
  const isNew = continuations !== null && found.some((name) => !continuations.includes(name));
  if (isNew || (await isEnded(store, log)))
    return `this folder saw ${size} entries of log \`${log}\`, but ${fault}; the logs were continued since`;
  if ((await store.logs()).some((head) => head.log === log)) await store.reportLost({ log, size });
  throw refuse(log, fault);
}

/** INVARIANT: a log that this folder saw grow ends only by being continued. */
async function isEnded(store: LogStore, log: string): Promise<boolean> {
  const heads = await store.logs();
  const head = heads.find((each) => each.log === log);
  return head !== undefined && !(head.isOpen ?? head === heads.at(-1));
}

async function faultOfKept(store: LogStore, { log, size, root }: Checkpoint): Promise<string | null> {
  const head = (await store.logs()).find((each) => each.log === log);
  if (head === undefined) {
    return 'its newest checkpoint is kept in the data folder, but the database does not contain that log; name the data folder that belongs to this database. If this is the right one';
  }
  if (size > head.size) {
    return `entry ${head.size} is missing: a checkpoint of ${size} entries is kept, ${head.size} are there`;
  }
  if (areSameBytes(await rootAt(store, log, size), root)) return null;
  return `the first ${size} entries, up to entry ${size - 1}, are not those that were signed`;
}
