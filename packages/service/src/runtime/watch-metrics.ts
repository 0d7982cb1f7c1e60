/** Shows the state of the parts in the metrics, which read it when they are read. */
import { sinceSigned } from '../features/audit/since-signed.ts';
import type { PolicyFolder } from '../features/policies/policy-folder.ts';
import type { ServiceParts } from '../parts/service-parts.ts';
import { COMMIT, VERSION } from '../support/version.ts';
import type { Foundation } from './foundation.ts';

/** Does nothing if metrics are not configured. */
export async function watchMetrics(
  { metrics, store, alarm, audit, clock, serviceClock: { steady } }: Foundation,
  { check, reviews, policies, readiness }: ServiceParts,
  folder: PolicyFolder | null,
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
    archiveProblem: () => store.archiveProblem(),
    isFolderRefused: () => folder?.isRefused ?? false,
    revisions: () => policies.book.revisions(),
    queueDepth: () => check.turns.depth,
    clockAheadMs: () => steady.aheadMs(clock()),
    openReviews: () => store.openReviews(),
    reviewWaits: () => reviews.waits.held,
    waitingDeliveries: () => store.waitingDeliveries(),
    clock,
  });
}
