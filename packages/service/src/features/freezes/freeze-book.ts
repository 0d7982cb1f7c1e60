/**
 * The active freezes of each workspace, cached in memory. INVARIANT: a commit compares the number that a check was
 * decided under, so a cache that is behind costs a second try and never an allow.
 */
import type { MatchingFreeze, WriteIntent } from '@writecheck/contract';
import { compileFreeze, type FreezeMatcher } from '@writecheck/engine/deciding';
import type { Store } from '@writecheck/store/port';
import type { FreezeState } from '@writecheck/store/port/freezes';

/** Hardly any workspace has a freeze; the first that were read are dropped first. */
const WORKSPACES_MAX = 10_000;

const NONE: readonly MatchingFreeze[] = [];

/** What a check must know, as it was at one moment. */
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

export class FreezeBook {
  readonly #store: Pick<Store, 'activeFreezes'>;
  readonly #known = new Map<string, KnownFreezes>();
  readonly #reading = new Map<string, Promise<KnownFreezes>>();

  constructor(store: Pick<Store, 'activeFreezes'>) {
    this.#store = store;
  }

  inMemory(workspace: string): KnownFreezes | undefined {
    return this.#known.get(workspace);
  }

  /** As the store has them now. Checks that ask together share one reading. */
  readAgain(workspace: string): Promise<KnownFreezes> {
    const reading = this.#reading.get(workspace);
    if (reading !== undefined) return reading;
    const begun: Promise<KnownFreezes> = this.#read(
      workspace,
      () => this.#reading.get(workspace) === begun,
    ).finally(() => {
      if (this.#reading.get(workspace) === begun) this.#reading.delete(workspace);
    });
    this.#reading.set(workspace, begun);
    return begun;
  }

  /** After a fail-over a number that was given before may be given again, and then says nothing about what is known. */
  forgetAll(): void {
    this.#known.clear();
    this.#reading.clear();
  }

  /** INVARIANT: a reading that began before everything was forgotten is not kept. */
  async #read(workspace: string, isCurrent: () => boolean): Promise<KnownFreezes> {
    const known = new KnownFreezes(await this.#store.activeFreezes(workspace));
    if (!isCurrent()) return known;
    this.#known.delete(workspace);
    this.#known.set(workspace, known);
    if (this.#known.size > WORKSPACES_MAX) this.#known.delete(this.#known.keys().next().value!);
    return known;
  }
}
