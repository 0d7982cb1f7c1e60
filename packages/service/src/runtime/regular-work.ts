/** What the service does on a schedule, beside the requests. */

import type { ServiceParts } from '../edge/service-parts.ts';
import { liftOverdue } from '../features/freezes/manage-freezes.ts';
import { sweepReviews } from '../features/reviews/review-desk.ts';
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
  const tell = (what: string) => (error: unknown) => log.warn(errorFields(error), what);
  const flushing = setInterval(() => {
    authenticator.flushUses(USES_A_FLUSH).catch(tell('last uses of keys could not be saved'));
    people.sessions.flushUses().catch(tell('last uses of sessions could not be saved'));
  }, FLUSH_USES_EVERY_MS);
  const looking = setInterval(() => {
    serviceClock.look().catch(tell('the newest record could not be read'));
  }, LOOK_AT_NEWEST_EVERY_MS);
  const closing = setInterval(() => {
    sweepReviews(reviews, check.clock.notBefore(clock())).catch(tell('overdue reviews could not be closed'));
  }, CLOSE_REVIEWS_EVERY_MS);
  const lifting = setInterval(() => {
    liftOverdue(store, check.clock.notBefore(clock())).catch(
      tell('freezes whose time is up could not be lifted'),
    );
  }, LIFT_EVERY_MS);
  const timers = [flushing, looking, closing, lifting];
  for (const timer of timers) timer.unref();
  // INVARIANT: what has expired only by a clock that is ahead stays.
  const stopSweeping = sweepRegularly(store, log, () => check.clock.notBefore(clock()));
  return () => {
    timers.forEach(clearInterval);
    stopSweeping();
  };
}
