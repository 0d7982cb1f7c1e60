/** What a process remembers of its store, and how it forgets what another process has changed. */
import { Authenticator } from './keys/authenticate.ts';
import { Sessions } from './people/sessions.ts';
import { PolicyBook } from './policies/policy-book.ts';
import type { PolicyDesk } from './policies/policy-desk.ts';
import { ReviewWaits } from './reviews/review-waits.ts';
import type { Store } from './store/port.ts';

export interface Remembered {
  readonly authenticator: Authenticator;
  readonly sessions: Sessions;
  readonly book: PolicyBook;
  readonly waits: ReviewWaits;
  readonly stop: () => void;
}

export function followChanges(store: Store, loadingDesk: PolicyDesk): Remembered {
  const authenticator = new Authenticator(store);
  const sessions = new Sessions(store);
  const book = new PolicyBook(store, loadingDesk);
  const waits = new ReviewWaits();
  const stop = store.watch(
    (change) => {
      if (change.kind === 'key' || change.kind === 'everything') authenticator.forgetAll();
      if (change.kind === 'person' || change.kind === 'everything') sessions.forgetAll();
      book.follow(change);
      waits.follow(change);
    },
    (atMs) => {
      authenticator.unchanged(atMs);
      sessions.unchanged(atMs);
    },
  );
  return { authenticator, sessions, book, waits, stop };
}
