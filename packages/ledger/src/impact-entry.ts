/**
 * The log's account of impact runs and of assessments: which report was made about which candidate, as digests. A
 * reader that does not know these kinds hashes and counts them.
 */
import { canonicalJson } from '@writecheck/contract';

export type ImpactEntry =
  | {
      readonly kind: 'impact';
      readonly workspace: string;
      readonly timestamp: string;
      /** `imp_...` */
      readonly run: string;
      /** The digest of the bundle that was tried; null for a workspace without one. */
      readonly candidate: string | null;
      readonly reportDigest: string;
    }
  | {
      readonly kind: 'assessment';
      readonly workspace: string;
      readonly timestamp: string;
      /** `asm_...` */
      readonly assessment: string;
      readonly profile: string;
      readonly run: string;
      readonly assessmentDigest: string;
    };

const encoder = new TextEncoder();

/** The RFC 8785 form. */
export function impactEntryBytes(entry: ImpactEntry, log: string): Uint8Array {
  return encoder.encode(canonicalJson({ ...entry, log }));
}
