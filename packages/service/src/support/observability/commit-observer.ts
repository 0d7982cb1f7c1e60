/** Logs when commits start to fail and when they recover; metrics, if there are any, count each. */
import type { StoreUnavailable } from '@writecheck/store/port';
import { causeOf, stackOf } from './described-error.ts';
import type { Log } from './log.ts';

export interface CommitMetrics {
  /** One commit ended, successfully or not: how many decisions it held and how long it took. */
  committed(entries: number, durationMs: number, failure: StoreUnavailable | null): void;
}

export interface CommitObserver {
  readonly metrics: CommitMetrics | null;
  /** Called when commits begin to fail, and with null when they succeed again. */
  changed(failure: StoreUnavailable | null, entries: number): void;
}

export function commitObserver(log: Log, metrics: CommitMetrics | null): CommitObserver {
  return {
    metrics,
    changed(failure, entries) {
      if (failure === null) log.warn({}, 'decisions are recorded and returned again');
      else
        log.error(
          { why: failure.why, entries, cause: causeOf(failure), stack: stackOf(failure) },
          `decisions cannot be recorded, so the service returns none: ${failure.message}`,
        );
    },
  };
}
