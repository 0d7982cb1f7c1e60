/** The interface to what recorded allows have drawn of limits. */
import { hash } from 'node:crypto';
import type { Acting } from './acting.ts';
import type { CheckingKeyKind } from './keys.ts';

/**
 * Counters belong to all keys of a kind, and to one `by`, `sum` and `per`: any other combination counts
 * separately.
 */
export interface CounterName {
  readonly workspace: string;
  readonly keyKind: CheckingKeyKind;
  readonly limitId: string;
  /** The digest of `by`, `sum` and `per`. */
  readonly counter: string;
}

const COUNTER_BYTES = 12;
const GROUP_BYTES = 16;
const DIGEST_PREFIX = 'sha256:'.length;

/** The place of a counter's groups: the first characters of the places of all of them. */
export function counterPlace({ workspace, keyKind, limitId, counter }: CounterName): string {
  return hash('sha256', JSON.stringify([workspace, keyKind, limitId, counter])).slice(0, 2 * COUNTER_BYTES);
}

/** The place of one group's draws, in hex. Two groups that shared a place would only reach their limit sooner. */
export function groupPlace(counter: string, groupDigest: string): string {
  return counter + groupDigest.slice(DIGEST_PREFIX, DIGEST_PREFIX + 2 * GROUP_BYTES);
}

/** How much one counter held, and how the decision used it. */
export interface EntryCounter {
  /** The index of its state in `states`. */
  readonly state: number;
  readonly place: string;
  /** The texts that name the group, as JSON. */
  readonly texts: string;
  readonly per: string;
  readonly draw: string | null;
  readonly drawn: string;
  readonly resetsAt: string | null;
  readonly restored: boolean;
}

/** The limits with which an entry was decided. */
export interface EntryLimits {
  /** The states as the record and the response show them, in JSON; read only if a counter moved. */
  readonly states: string;
  readonly readings: string;
  /** One for each reading. */
  readonly counters: readonly EntryCounter[];
  /** Whether the decision is an allow, which draws. */
  readonly draws: boolean;
}

/** The same, once the commit has read the counters itself. */
export interface MovedLimits extends Pick<EntryLimits, 'states' | 'readings'> {
  /** How much each counter holds after this entry. */
  readonly held: readonly string[];
}

export interface StoredDraws {
  /** The draws as `drawsText` writes them; empty if nothing was drawn. */
  readonly draws: string;
  /** When the store was restored from a backup: earlier draws may be missing. Null if it never was. */
  readonly restoredMs: number | null;
}

export interface DrawnGroup {
  readonly place: string;
  readonly texts: readonly string[];
  readonly draws: string;
}

export interface Correction extends CounterName {
  /** The window as written in the limit. */
  readonly per: string;
  readonly max: string;
  readonly groupDigest: string;
  /** Decimal text. */
  readonly amount: string;
  readonly reason: string;
  readonly atMs: number;
  readonly by: Acting;
  readonly idempotency: {
    readonly key: string;
    readonly requestDigest: string;
    readonly expiresAtMs: number;
  } | null;
}

/** A group's draws after the correction, and the limit's `max` at that time. */
export interface CorrectedDraws extends StoredDraws {
  readonly atMs: number;
  readonly max: string;
}

export type CorrectionOutcome =
  /** `isNew` is false if it was made earlier under the same idempotency key. */
  | { readonly kind: 'corrected'; readonly corrected: CorrectedDraws; readonly isNew: boolean }
  /** The idempotency key belongs to another request. */
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'unknown_group' }
  /** More than is drawn. */
  | { readonly kind: 'too_much'; readonly drawn: string };

export interface RebuiltDraws {
  /** Groups that have a draw in an open window. */
  readonly groups: number;
  /** Groups whose counter held something else. */
  readonly differed: number;
}

export interface Limits {
  /** Rebuilds the counters from the log; checks may continue meanwhile. */
  rebuildDraws(): Promise<RebuiltDraws>;
}
