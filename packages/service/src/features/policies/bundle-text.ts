/** Separate from the code that reads bundles, so that the service starts without a YAML parser. */
import { canonicalJson } from '@writecheck/contract';
import type { PolicyDocument } from '@writecheck/engine';

/** The text of a bundle that its digest hashes. */
export function bundleText(documents: readonly PolicyDocument[]): string {
  return canonicalJson(documents);
}
