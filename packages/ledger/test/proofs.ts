/** Whole proofs from a log in memory, for tests. */
import { type HashReader, planConsistency, planInclusion, readPlan } from '../src/proof.ts';
import { type Sha256, sha256 } from '../src/sha256.ts';

export function inclusionProof(
  index: number,
  size: number,
  read: HashReader,
  hash: Sha256 = sha256,
): Uint8Array[] {
  return readPlan(planInclusion(index, size), read, hash);
}

export function consistencyProof(
  from: number,
  to: number,
  read: HashReader,
  hash: Sha256 = sha256,
): Uint8Array[] {
  return readPlan(planConsistency(from, to), read, hash);
}
