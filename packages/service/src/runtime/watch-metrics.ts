/** Adds the state of the parts to the metrics, read at every scrape. */
import { VERSION } from '@writecheck/contract';
import type { Store } from '@writecheck/store/port';
import type { ServiceParts } from '../parts/service-parts.ts';
import { COMMIT } from '../support/commit.ts';
import type { Foundation } from './foundation.ts';

/** Does nothing if metrics are not configured. */
export async function watchMetrics(
  { metrics, store, alarm, audit, clock, serviceClock: { steady } }: Foundation,
  { check, policies, readiness }: ServiceParts,
): Promise<void> {
  if (metrics === null) return;
  await metrics.watchState({
    version: VERSION,
    commit: COMMIT,
    store: store.logPlace.kind,
    readiness: () => readiness(clock()),
    isForked: () => alarm.isRaised,
    sinceSignedMs: sinceSigned(store, audit.failingForMs),
    clockBehindMs: () => Math.max(0, steady.behindMs(clock())),
    figures: () => store.figures(),
    activeFreezes: () => store.countActiveFreezes(),
    revisions: () => policies.book.revisions(),
    queueDepth: () => check.turns.depth,
    clockAheadMs: () => steady.aheadMs(clock()),
    openReviews: () => store.openReviews(),
    waitingDeliveries: () => store.waitingDeliveries(),
    clock,
  });
}

/**
 * How long the newest state of the log has lacked a signature, whichever thread or process signs it, or this one has
 * failed to keep it.
 */
function sinceSigned(
  store: Pick<Store, 'log' | 'logs' | 'newestCheckpoint'>,
  failingForMs: () => number,
): () => Promise<number> {
  let signedAtMs = performance.now();
  let signedSize = -1;
  return async () => {
    try {
      const { log } = store;
      const head = (await store.logs()).find((each) => each.log === log);
      const size = (await store.newestCheckpoint(log))?.size ?? 0;
      // Under load the log is always a little ahead of its newest signature, which then moves.
      if (size >= (head?.size ?? 0) || size !== signedSize) signedAtMs = performance.now();
      signedSize = size;
    } catch {
      // A process that cannot read the store cannot sign its log either.
    }
    return Math.max(performance.now() - signedAtMs, failingForMs());
  };
}
