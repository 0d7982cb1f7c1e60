/** Logs when commits start to fail and when they recover, and reports each to the metrics. */

import type { StoreUnavailable } from '@writecheck/store/port';
import { causeOf } from './described-error.ts';
import type { Log } from './log.ts';

export interface CommitObserver {
  /** One commit ended, successfully or not: how many decisions it held and how long it took. */
  committed(entries: number, durationMs: number, failure: StoreUnavailable | null): void;
}

export function commitObserver(log: Log, metrics: CommitObserver | null): CommitObserver {
  let isFailing = false;
  return {
    committed(entries, durationMs, failure) {
      metrics?.committed(entries, durationMs, failure);
      if (failure !== null && !isFailing) {
        log.error(
          { why: failure.why, entries, cause: causeOf(failure) },
          `decisions cannot be recorded, so the service returns none: ${failure.message}`,
        );
      }
      if (failure === null && isFailing) log.warn({}, 'decisions are recorded and returned again');
      isFailing = failure !== null;
    },
  };
}
