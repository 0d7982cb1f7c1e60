/** A bundle as its author supplied it. */
import { DEPTH_MAX } from '@writecheck/contract';

export interface PolicyFile {
  /** Relative to the folder; null for the body of a request. */
  readonly file: string | null;
  readonly bytes: Uint8Array;
}

export type BundleSource =
  | { readonly kind: 'yaml'; readonly files: readonly PolicyFile[] }
  /** The body of a request: an object with `documents`. */
  | { readonly kind: 'body'; readonly bytes: Uint8Array }
  /** The documents of an earlier revision, as stored. */
  | { readonly kind: 'stored'; readonly text: string };

/** The bundle is nested two levels deep in the body. */
export const BODY_DEPTH_MAX = DEPTH_MAX + 2;
