/** The parts that reviews need: the store, the running policy, the time, and who is notified. */
import type { PolicySnapshot } from '@writecheck/engine';
import type { RelyingParty } from '@writecheck/ledger';
import type { Store } from '@writecheck/store/port';
import type { SteadyClock } from '../../support/clocks/steady-clock.ts';
import type { Changed } from './act-result.ts';

export interface ReviewParts {
  readonly store: Store;
  readonly snapshotOf: (workspace: string) => PolicySnapshot | Promise<PolicySnapshot>;
  readonly clock: SteadyClock;
  /** Called for each changed review, once the change is durable. */
  readonly changed: (change: Changed) => void;
  /** The relying party for which passkeys sign. */
  readonly party: () => RelyingParty;
  /** The page that shows a review to a person. */
  readonly urlOf: (reviewId: string) => string;
}
