/** Caches parts of the store, and drops what another process has changed. */
import type { Change, Store } from '@writecheck/store/port';
import { type FreezeBook, freezeBook } from '../features/freezes/freeze-book.ts';
import { Authenticator } from '../features/keys/authenticate.ts';
import { Sessions } from '../features/people/sessions.ts';
import { PolicyBook } from '../features/policies/policy-book.ts';
import type { PolicyJobs } from '../features/policies/policy-jobs.ts';

export interface Remembered {
  readonly authenticator: Authenticator;
  readonly sessions: Sessions;
  readonly book: PolicyBook;
  readonly freezes: FreezeBook;
  readonly forgetAll: () => void;
  readonly stop: () => void;
}

/** `trustedMs` returns the time that may be written, see `SteadyClock.notBefore`. */
export function followChanges(store: Store, loadingJobs: PolicyJobs, trustedMs: () => number): Remembered {
  const authenticator = new Authenticator(store, trustedMs);
  const sessions = new Sessions(store, trustedMs);
  const book = new PolicyBook(store, loadingJobs);
  const freezes = freezeBook(store);
  const follow = (change: Change): void => {
    // A key is refused while the person who holds it is disabled, or its workspace is suspended.
    if (change.kind !== 'policy') {
      authenticator.forgetAll();
      sessions.forgetAll();
    }
    if (change.kind === 'everything') freezes.forgetAll();
    book.follow(change);
  };
  const stop = store.watch(follow, (atMs) => {
    authenticator.unchanged(atMs);
    sessions.unchanged(atMs);
  });
  return {
    authenticator,
    sessions,
    book,
    freezes,
    forgetAll: () => follow({ kind: 'everything' }),
    stop,
  };
}
