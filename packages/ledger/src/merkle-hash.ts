/** The hashes of RFC 6962 section 2.1: the first byte distinguishes leaves from inner nodes. */
import { HASH_BYTES, type Sha256, sha256 } from './sha256.ts';

const LEAF_PREFIX = 0x00;
const NODE_PREFIX = 0x01;

// INVARIANT: hashing is synchronous and no hash function keeps its input, so one buffer each serves every call.
let leafInput = new Uint8Array(4096);
const nodeInput = new Uint8Array(1 + 2 * HASH_BYTES);
nodeInput[0] = NODE_PREFIX;

export function leafHash(leaf: Uint8Array, hash: Sha256 = sha256): Uint8Array {
  if (leafInput.length <= leaf.length) leafInput = new Uint8Array(2 * (leaf.length + 1));
  leafInput[0] = LEAF_PREFIX;
  leafInput.set(leaf, 1);
  return hash(leafInput.subarray(0, leaf.length + 1));
}

/** INVARIANT: both sides are whole hashes; callers that receive hashes check their length first. */
export function nodeHash(left: Uint8Array, right: Uint8Array, hash: Sha256 = sha256): Uint8Array {
  nodeInput.set(left, 1);
  nodeInput.set(right, 1 + HASH_BYTES);
  return hash(nodeInput);
}

/** The root of a log without entries. */
export function emptyRoot(hash: Sha256 = sha256): Uint8Array {
  return hash(new Uint8Array(0));
}
