/** The revisions of a workspace's policy. */
import type { Acting } from './acting.ts';

export interface PolicyRevision {
  readonly workspace: string;
  /** Starts at 1 and has no gaps. */
  readonly revision: number;
  readonly digest: string;
  /** Null if it came from a person, a folder or the command line. */
  readonly authorKeyId: string | null;
  /** The person who applied it; null if a key, a folder or the command line did. */
  readonly authorPersonId: string | null;
  readonly createdAtMs: number;
  /** The revision whose documents a rollback applies again. */
  readonly rollbackOf: number | null;
  /** The author's message; null if there is none. */
  readonly message: string | null;
}

export interface StoredPolicy extends PolicyRevision {
  /** JSON array of the documents. */
  readonly documents: string;
}

export interface NewPolicy
  extends Pick<StoredPolicy, 'workspace' | 'digest' | 'documents' | 'createdAtMs' | 'rollbackOf'> {
  readonly by: Acting;
  readonly message?: string | null;
  /** Whether it may be looser than the one it replaces; its author then confirmed that. */
  readonly loosens?: boolean;
  /** The digest that the author expects to be running (null: none yet); omitted if the author accepts any. */
  readonly expectedDigest?: string | null;
}

export type AppendPolicyOutcome =
  | { readonly kind: 'appended'; readonly revision: number }
  /** That digest is already running: nothing was written. */
  | { readonly kind: 'unchanged'; readonly revision: number }
  | { readonly kind: 'conflict'; readonly runningDigest: string | null };
