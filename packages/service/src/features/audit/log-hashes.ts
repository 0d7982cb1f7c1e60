/** Proofs and roots of a log, from the hashes its store keeps. */
import {
  emptyRoot,
  frontierBytes,
  type HashReader,
  nodeHash,
  type ProofPlan,
  planConsistency,
  planInclusion,
  readPlan,
  type Subtree,
  TILE_HEIGHT,
} from '@writecheck/ledger/log';
import type { LogKeeping } from '@writecheck/store/port';
import { sha256 } from '@writecheck/store/sha256';

type Hashes = Pick<LogKeeping, 'subtreeHashes'>;

async function readThrough(store: Hashes, log: string, plan: ProofPlan): Promise<Uint8Array[]> {
  const subtrees = plan.flat();
  if (subtrees.length === 0) return [];
  const hashes = await store.subtreeHashes(log, subtrees);
  // INVARIANT: hashes come in the requested order, which is the order in which a plan is read.
  let next = 0;
  const read: HashReader = () => hashes[next++]!;
  return readPlan(plan, read, sha256);
}

export function inclusionOf(store: Hashes, log: string, index: number, size: number): Promise<Uint8Array[]> {
  return readThrough(store, log, planInclusion(index, size));
}

export function consistencyOf(store: Hashes, log: string, from: number, to: number): Promise<Uint8Array[]> {
  return readThrough(store, log, planConsistency(from, to));
}

/** Proves that the last of this many whole blocks of 256 leaves is in the tree of those blocks. */
export function lastBlockInclusionOf(store: Hashes, log: string, blocks: number): Promise<Uint8Array[]> {
  const plan = planInclusion(blocks - 1, blocks).map((subtrees) =>
    subtrees.map(({ level, index }) => ({ level: level + TILE_HEIGHT, index })),
  );
  return readThrough(store, log, plan);
}

/** The root that the log had when it held this many leaves. */
export async function rootAt(store: Hashes, log: string, size: number): Promise<Uint8Array> {
  if (size === 0) return emptyRoot(sha256);
  return (await edgesAt(store, log, size, false)).reduceRight((right, left) => nodeHash(left, right, sha256));
}

/** The frontier that the log had when it held this many leaves, as it is stored now and `Frontier.fromBytes` reads it. */
export async function frontierAt(store: Hashes, log: string, size: number): Promise<Uint8Array> {
  return frontierBytes(size, await edgesAt(store, log, size, true));
}

/** The complete subtrees of a tree of this size, largest first. */
function edgesAt(
  store: Hashes,
  log: string,
  size: number,
  mustReread: boolean,
): Promise<readonly Uint8Array[]> {
  const subtrees: Subtree[] = [];
  for (let level = 0, rest = size; rest > 0; level += 1, rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) subtrees.unshift({ level, index: rest - 1 });
  }
  return store.subtreeHashes(log, subtrees, mustReread);
}
