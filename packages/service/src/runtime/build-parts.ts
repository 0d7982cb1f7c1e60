/** Builds what the routes need on a foundation; nothing listens or runs yet. */
import { CheckRates } from '../check/check-rates.ts';
import { GROUP_COMMIT_LIMITS, GroupCommit } from '../check/group-commit.ts';
import { RunningKeys } from '../check/idempotency.ts';
import { KnownDraws } from '../check/known-draws.ts';
import type { RecentAllows } from '../check/recent-allows.ts';
import { Turns } from '../check/turns.ts';
import { UsedUp } from '../check/used-up.ts';
import { readinessOf } from '../edge/readiness.ts';
import type { RequestLimits } from '../edge/request-limits.ts';
import type { ExportPlaces } from '../features/audit/export-places.ts';
import { ImpactRuns } from '../features/impact/impact-runs.ts';
import { openOidc } from '../features/people/oidc/open-oidc.ts';
import type { PeopleParts } from '../features/people/people-parts.ts';
import { partyOf } from '../features/people/relying-party.ts';
import type { PolicyParts } from '../features/policies/apply-policy.ts';
import type { PolicyJobs } from '../features/policies/policy-jobs.ts';
import type { ServiceParts } from '../parts/service-parts.ts';
import { commitObserver } from '../support/observability/commit-observer.ts';
import type { Remembered } from './follow-changes.ts';
import type { Foundation } from './foundation.ts';

export interface Surroundings {
  readonly remembered: Remembered;
  /** Checks and compares bundles that are being applied. */
  readonly jobs: PolicyJobs;
  readonly limits: RequestLimits;
  readonly recentAllows: RecentAllows;
  readonly exports: ExportPlaces;
  /** Has no trailing slash; known once the server listens. */
  readonly publicUrl: () => string;
  readonly wakeDeliverer: () => void;
  readonly isServing: () => boolean;
}

export async function buildParts(foundation: Foundation, surroundings: Surroundings): Promise<ServiceParts> {
  const { config, store, alarm, serviceClock, audit, log, outages, metrics, tracing } = foundation;
  const { remembered, jobs, limits, publicUrl, isServing } = surroundings;
  const { authenticator, sessions, book } = remembered;
  const clock = serviceClock.steady;
  const commits = new GroupCommit(store, GROUP_COMMIT_LIMITS, commitObserver(outages, metrics));
  const people: PeopleParts = { store, clock, sessions, publicUrl };
  const policies: PolicyParts = { store, book, jobs };
  return {
    config,
    store,
    audit,
    exports: surroundings.exports,
    authenticator,
    policies,
    people,
    impact: new ImpactRuns({ store, log }),
    check: {
      store,
      policies: book,
      freezes: remembered.freezes,
      clock,
      commits,
      runningKeys: new RunningKeys(),
      draws: new KnownDraws(store),
      recentAllows: surroundings.recentAllows,
      turns: new Turns(),
      usedUp: new UsedUp(),
      metrics,
      trace: tracing,
    },
    reviews: buildReviews(foundation, remembered, people),
    webhooks: {
      store,
      allowed: config.webhookAllow,
      signer: audit.signer,
      wake: surroundings.wakeDeliverer,
    },
    signIn: { limit: limits.signIns, oidc: await openOidc(config, people, log) },
    rates: new CheckRates(limits),
    signups: limits.signups,
    readiness: readinessOf({ store, clock, commits, isForked: () => alarm.isRaised, isServing }),
  };
}

function buildReviews(
  { store, serviceClock, metrics }: Foundation,
  { book }: Remembered,
  people: PeopleParts,
): ServiceParts['reviews'] {
  const clock = serviceClock.steady;
  return {
    store,
    clock,
    async snapshotOf(workspace) {
      const [running] = await store.listPolicies(workspace, 1);
      return book.snapshotOfRunning(workspace, running?.digest ?? null);
    },
    changed({ entries }) {
      for (const { event, details, timestamp } of entries) {
        clock.saw(Date.parse(timestamp));
        if (event === 'verdict') metrics?.reviewed(String(details.verdict));
      }
    },
    party: () => partyOf(people),
    urlOf: (reviewId) => `${people.publicUrl()}/reviews/${reviewId}`,
  };
}
