/** Does the service's scheduled work, beside the requests. */
import { liftOverdue } from '../features/freezes/manage-freezes.ts';
import { sweepReviews } from '../features/reviews/sweep-reviews.ts';
import type { ServiceParts } from '../parts/service-parts.ts';
import type { ServiceClock } from '../support/clocks/service-clock.ts';
import { errorFields } from '../support/observability/described-error.ts';
import type { Log } from '../support/observability/log.ts';
import { sweepRegularly } from './sweep-regularly.ts';

const FLUSH_USES_EVERY_MS = 1_000;
/** Commits wait during the write. */
const USES_A_FLUSH = 1_000;
const LOOK_AT_NEWEST_EVERY_MS = 1_000;
const CLOSE_REVIEWS_EVERY_MS = 2_000;
const LIFT_EVERY_MS = 1_000;

type Parts = Pick<ServiceParts, 'authenticator' | 'store' | 'check' | 'reviews' | 'people'>;

/** Returns a function that stops it. */
export function workRegularly(
  { authenticator, store, check, reviews, people }: Parts,
  log: Log,
  clock: () => number,
  serviceClock: ServiceClock,
): () => void {
  /**
   * INVARIANT: no work starts again while it is still running; while the store is stuck, its queue would only
   * grow.
   */
  const every = (ms: number, failed: string, work: () => Promise<unknown>): NodeJS.Timeout => {
    let isRunning = false;
    return setInterval(() => {
      if (isRunning) return;
      isRunning = true;
      void work()
        .catch((error: unknown) => log.warn(errorFields(error), failed))
        .finally(() => {
          isRunning = false;
        });
    }, ms).unref();
  };
  const timers = [
    every(FLUSH_USES_EVERY_MS, 'last uses of keys could not be saved', () =>
      authenticator.flushUses(USES_A_FLUSH),
    ),
    every(FLUSH_USES_EVERY_MS, 'last uses of sessions could not be saved', () => people.sessions.flushUses()),
    every(LOOK_AT_NEWEST_EVERY_MS, 'the newest record could not be read', () => serviceClock.look()),
    every(CLOSE_REVIEWS_EVERY_MS, 'overdue reviews could not be closed', () =>
      sweepReviews(reviews, check.clock.notBefore(clock())),
    ),
    every(LIFT_EVERY_MS, 'expired freezes could not be lifted', () =>
      liftOverdue(store, check.clock.notBefore(clock())),
    ),
  ];
  // INVARIANT: rows that have expired only by a clock that is ahead stay.
  const stopSweeping = sweepRegularly(store, log, () => check.clock.notBefore(clock()));
  return () => {
    timers.forEach(clearInterval);
    stopSweeping();
  };
}
