/** Apart from the reading of bundles, so that a service starts without a reader of YAML. */
import { canonicalJson } from '@writecheck/contract';
import type { PolicyDocument } from '@writecheck/engine';

/** The text of a bundle that its digest hashes. */
export function bundleText(documents: readonly PolicyDocument[]): string {
  return canonicalJson(documents);
}
