/** What came of a commit, before it crosses the thread: on the other side each is told whose it is, and may be believed. */
import type { Inclusion, StoredAnswer } from '../port.ts';

export type PlainEntryOutcome =
  | {
      readonly kind: 'committed';
      readonly leafIndex: number;
      readonly used: number;
      /** The leaf itself is in the segment, which goes back too. */
      readonly inclusion?: Omit<Inclusion, 'leaf'>;
    }
  | { readonly kind: 'quota_exceeded'; readonly used: number; readonly limit: number };

export type PlainRequestOutcome =
  | { readonly kind: 'done'; readonly entries: readonly PlainEntryOutcome[] }
  | { readonly kind: 'twin'; readonly stored: StoredAnswer }
  | { readonly kind: 'attestation_conflict' };
