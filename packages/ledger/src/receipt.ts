/** The receipt: one leaf, its inclusion proof and the signed checkpoint it is proven under. */
import { decodeBase64, encodeBase64 } from '@writecheck/contract';
import { isCount } from './leaf.ts';
import { HASH_BYTES } from './sha256.ts';

export const RECEIPT_VERSION = 'writecheck.receipt.v1';

/** A receipt as sent over the wire. */
export interface Receipt {
  readonly version: typeof RECEIPT_VERSION;
  /** Base64 of the leaf's bytes. */
  readonly leaf: string;
  readonly index: number;
  readonly treeSize: number;
  /** Base64 hashes, from the leaf up. */
  readonly proof: readonly string[];
  /** A signed note. */
  readonly checkpoint: string;
}

/** The same, decoded but not verified. */
export interface ReceiptParts {
  readonly leaf: Uint8Array;
  readonly index: number;
  readonly treeSize: number;
  readonly proof: readonly Uint8Array[];
  readonly checkpoint: string;
}

export function buildReceipt(parts: ReceiptParts): Receipt {
  return {
    version: RECEIPT_VERSION,
    leaf: encodeBase64(parts.leaf),
    index: parts.index,
    treeSize: parts.treeSize,
    proof: parts.proof.map(encodeBase64),
    checkpoint: parts.checkpoint,
  };
}

function decodeHash(value: unknown): Uint8Array | null {
  const hash = typeof value === 'string' ? decodeBase64(value) : null;
  return hash?.length === HASH_BYTES ? hash : null;
}

/**
 * Null if it is not a receipt of this version. Members that later versions may add are skipped, because no
 * proof depends on them.
 */
export function parseReceipt(receipt: unknown): ReceiptParts | null {
  if (typeof receipt !== 'object' || receipt === null) return null;
  const { version, leaf, index, treeSize, proof, checkpoint } = receipt as Record<string, unknown>;
  if (version !== RECEIPT_VERSION || typeof leaf !== 'string' || typeof checkpoint !== 'string') return null;
  if (!isCount(index) || !isCount(treeSize) || !Array.isArray(proof)) return null;
  const leafBytes = decodeBase64(leaf);
  const hashes = proof.map(decodeHash);
  if (leafBytes === null || !hashes.every((hash) => hash !== null)) return null;
  return { leaf: leafBytes, index, treeSize, proof: hashes, checkpoint };
}
