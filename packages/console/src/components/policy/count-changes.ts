/** How a revision differs from the one before it, in a few words. */
import { compareBundles, type Finding, type PolicyDocument } from '@writecheck/engine';

export type ChangeCounts = { readonly [kind in Finding['kind']]: number };

export function countChanges(
  before: readonly PolicyDocument[],
  after: readonly PolicyDocument[],
): ChangeCounts {
  const counts = { tightens: 0, loosens: 0, unclear: 0 };
  for (const { kind } of compareBundles(before, after).findings) counts[kind] += 1;
  return counts;
}
