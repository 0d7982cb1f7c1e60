/** The parts that people and their sessions need from the rest of the service. */
import type { Store } from '@writecheck/store/port';
import type { SteadyClock } from '../../support/clocks/steady-clock.ts';
import type { Sessions } from './sessions.ts';

export interface PeopleParts {
  readonly store: Store;
  readonly clock: SteadyClock;
  readonly sessions: Sessions;
  /** Has no trailing slash. Every URL and the only accepted origin come from it, never from a header. */
  readonly publicUrl: () => string;
}
