/** Freezes: each stops the writes it names, in every process, until somebody lifts it. */
import type { FreezeScope } from '@writecheck/contract';
import type { ChangeAuthor } from '@writecheck/ledger/log';
import type { Acting } from './acting.ts';

export type FreezeAuthor = ChangeAuthor<'person' | 'owner_key' | 'operator'>;

export interface StoredFreeze {
  readonly workspace: string;
  /** `frz_...` */
  readonly id: string;
  /** Rises with every freeze and every lift of the workspace. */
  readonly number: number;
  readonly scope: FreezeScope;
  readonly reason: string;
  readonly createdAtMs: number;
  readonly createdBy: FreezeAuthor;
  /** The end, by the clock of the database; null if it lasts until somebody lifts it. */
  readonly untilMs: number | null;
  readonly liftedAtMs: number | null;
  /** Null while it is active, and if its time ended. */
  readonly liftedBy: FreezeAuthor | null;
  readonly liftReason: string | null;
}

export interface NewFreeze extends Pick<StoredFreeze, 'workspace' | 'id' | 'scope' | 'reason' | 'untilMs'> {
  readonly atMs: number;
  readonly by: Acting & FreezeAuthor;
  /** Owners share their places, every other person has their own; null for an operator with access to the store. */
  readonly places: { readonly of: 'owners' | 'person'; readonly most: number } | null;
  /** The same request under the same key makes one freeze. */
  readonly idempotency: {
    readonly key: string;
    readonly requestDigest: string;
    readonly keptMs: number;
  } | null;
}

export type FreezeOutcome =
  | { readonly kind: 'frozen'; readonly freeze: StoredFreeze; readonly isNew: boolean }
  | { readonly kind: 'too_many' }
  | { readonly kind: 'key_reused' }
  /** The freeze that was made under the key is lifted. */
  | { readonly kind: 'key_expired' }
  | { readonly kind: 'unknown_key'; readonly keyId: string }
  | { readonly kind: 'no_such_workspace' };

export interface Lift {
  readonly workspace: string;
  /** One freeze, all of one author, or all whose time has ended. */
  readonly which:
    | { readonly id: string }
    | { readonly createdBy: { readonly kind: string; readonly id: string } }
    | 'overdue';
  /** Null if their time has ended. */
  readonly by: (Acting & FreezeAuthor) | null;
  readonly reason: string;
  readonly atMs: number;
}

/** The freezes of a workspace that a check must know, read at one moment. */
export interface FreezeState {
  /** 0 before the first. */
  readonly number: number;
  /** Oldest first. */
  readonly freezes: readonly StoredFreeze[];
}

export interface FreezeQuery {
  readonly workspace: string;
  readonly activeOnly: boolean;
  /** Selects freezes with lower numbers. */
  readonly before: number | null;
  readonly limit: number;
}
