/** Moves of a workspace from one store to another. */
import type { Acting } from './acting.ts';

export interface KnownMove {
  readonly workspace: string;
  /** How often it has moved. */
  readonly move: number;
  /** Where it has moved to, or what it is arriving from; null if it lives here. */
  readonly to: string | null;
  /** When it last arrived from another store; null if it was created here. */
  readonly arrivedAtMs: number | null;
}

export interface Departure {
  readonly workspace: string;
  /** A log of the store that may accept it. */
  readonly to: string;
  readonly by: Acting;
  readonly atMs: number;
}

export type SealOutcome =
  | { readonly kind: 'sealed'; readonly move: number }
  | { readonly kind: 'sealed_before'; readonly move: number; readonly to: string }
  /** The log it should move to is of this store. */
  | { readonly kind: 'lives_there' }
  | { readonly kind: 'no_such_workspace' };

export interface Arrival {
  readonly workspace: string;
  /** The digest of the file that it came from. */
  readonly digest: string;
  /** The checkpoints of the logs that came with it. */
  readonly checkpoints: readonly string[];
  readonly by: Acting;
  readonly atMs: number;
}

export type ReceiveOutcome =
  | { readonly kind: 'received' }
  /** Nothing of that file is there, or it has been received before. */
  | { readonly kind: 'not_arriving' };
