/** Logs when commits start to fail and when they recover, and reports each to the metrics. */
import type { CommitObserver } from '../check-write/group-commit.ts';
import { causeOf } from './described-error.ts';
import type { Log } from './log.ts';

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
