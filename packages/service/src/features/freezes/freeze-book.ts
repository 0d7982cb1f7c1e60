/**
 * The active freezes of each workspace, cached in memory. INVARIANT: a commit compares the number that a check was
 * decided under, so a cache that is behind costs a second try and never an allow.
 */
import type { MatchingFreeze, WriteIntent } from '@writecheck/contract';
import { compileFreeze, type FreezeMatcher } from '@writecheck/engine/deciding';
import type { Store } from '@writecheck/store/port';
import type { FreezeState } from '@writecheck/store/port/freezes';
import { SharedReads } from '../../support/shared-reads.ts';

/** Hardly any workspace has a freeze. */
const WORKSPACES_MAX = 10_000;

const NONE: readonly MatchingFreeze[] = [];

/** The freezes that a check must know, all read at one moment. */
export class KnownFreezes {
  readonly number: number;
  /** Whether one of them is about keys. */
  readonly namesKeys: boolean;
  readonly #freezes: readonly { readonly shown: MatchingFreeze; readonly matches: FreezeMatcher }[];

  constructor({ number, freezes }: FreezeState) {
    this.number = number;
    this.namesKeys = freezes.some(({ scope }) => scope.keyId !== undefined);
    this.#freezes = freezes.map(({ id, reason, scope }) => ({
      shown: { id, reason },
      matches: compileFreeze(scope),
    }));
  }

  /** Oldest first. `keyIds` as in `compileFreeze`. */
  matching(intent: WriteIntent, keyIds: readonly string[] | null): readonly MatchingFreeze[] {
    if (this.#freezes.length === 0) return NONE;
    return this.#freezes.filter(({ matches }) => matches(intent, keyIds)).map(({ shown }) => shown);
  }
}

export type FreezeBook = SharedReads<KnownFreezes>;

/** After a failover the store may give a number a second time, so the book then forgets everything. */
export function freezeBook(store: Pick<Store, 'activeFreezes'>): FreezeBook {
  return new SharedReads(
    async (workspace) => new KnownFreezes(await store.activeFreezes(workspace)),
    WORKSPACES_MAX,
  );
}
