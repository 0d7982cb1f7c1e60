/** What people and their sessions need from the rest of the service. */
import type { SteadyClock } from '../clocks/steady-clock.ts';
import type { People } from '../store/port/people.ts';
import type { WorkspacesAndKeys } from '../store/port.ts';
import type { Sessions } from './sessions.ts';

export interface PeopleParts {
  readonly store: People & Pick<WorkspacesAndKeys, 'findWorkspace' | 'listKeys'>;
  readonly clock: SteadyClock;
  readonly sessions: Sessions;
  /** Without a trailing slash; every URL and the one accepted origin come from it, never from a header. */
  readonly publicUrl: () => string;
}
