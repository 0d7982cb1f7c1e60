/** The composition root: builds the parts of a service around a store, listens, and stops. */
import type { Server } from 'node:http';
import { ForkAlarm } from './audit/fork-alarm.ts';
import { readKeptCheckpoint } from './audit/kept-checkpoint.ts';
import { receiptsOf } from './audit/log-receipts.ts';
import { openAudit, signRegularly } from './audit/open-audit.ts';
import { refuseWhenForked } from './audit/refuse-when-forked.ts';
import { sinceSigned } from './audit/since-signed.ts';
import { GROUP_COMMIT_LIMITS, GroupCommit } from './check-write/group-commit.ts';
import { RunningKeys } from './check-write/idempotency.ts';
import { Turns } from './check-write/turns.ts';
import { UsedUp } from './check-write/used-up.ts';
import { machineUptimeMs } from './clocks/clock-reference.ts';
import { ServiceClock } from './clocks/service-clock.ts';
import { Closers } from './closers.ts';
import type { Config } from './config/settings.ts';
import { followChanges } from './follow-changes.ts';
import { allRoutes } from './http/all-routes.ts';
import { clientAddress } from './http/client-address.ts';
import { type DrainTimes, httpServer } from './http/connection/node-server.ts';
import type { ExchangeParts } from './http/exchange.ts';
import { failedAnswer } from './http/failed-answer.ts';
import { routeFinder } from './http/find-route.ts';
import { type Gatekeeping, handleRequest } from './http/gates.ts';
import { listen, portOf, urlOf } from './http/listen.ts';
import { observer } from './http/observe-exchange.ts';
import { requestLimits } from './http/request-limits.ts';
import { consoleRoutes } from './http/routes/console-routes.ts';
import type { ServiceParts } from './http/service-parts.ts';
import { type Channel, shareLimits } from './http/share-limits.ts';
import { ImpactDesk } from './impact/impact-desk.ts';
import { commitObserver } from './observability/commit-observer.ts';
import type { Log } from './observability/log.ts';
import { createMetrics, type GatheredMetrics, metricsServerFor } from './observability/metrics.ts';
import { RefusedKeys } from './observability/refused-keys.ts';
import { sampledLog } from './observability/sampled-log.ts';
import { createTracing } from './observability/tracing.ts';
import { openOidc } from './people/oidc/open-oidc.ts';
import type { PeopleParts } from './people/people-parts.ts';
import { partyOf } from './people/relying-party.ts';
import { PolicyDesk } from './policies/policy-desk.ts';
import { PolicyFolder } from './policies/policy-folder.ts';
import { readinessOf } from './readiness.ts';
import { workRegularly } from './regular-work.ts';
import type { Store } from './store/port.ts';
import { VERSION } from './version.ts';
import { Deliverer } from './webhooks/deliverer.ts';
import { openSender } from './webhooks/open-sender.ts';

const DRAIN: DrainTimes = { idleGraceMs: 1_000, deadlineMs: 8_000 };
const CUT: DrainTimes = { idleGraceMs: 0, deadlineMs: 0 };

export interface RunningService {
  readonly url: string;
  readonly metricsUrl: string | null;
  /** For adding them to those of other threads; null if metrics are not configured. */
  readonly gatherMetrics: (() => Promise<GatheredMetrics>) | null;
  /** Takes no new connections, sends every response in flight, and releases the store. */
  stop(times?: Partial<DrainTimes>): Promise<void>;
}

export interface ServiceOptions {
  readonly config: Config;
  readonly store: Store;
  readonly log: Log;
  readonly clock?: () => number;
  /** Milliseconds since the machine started. A given clock is compared with another one only if this is given too. */
  readonly uptime?: () => number;
  readonly environment?: NodeJS.ProcessEnv;
  /** If other threads of this process answer on the same port. */
  readonly together?: Together;
}

/** What changes if several threads are one service: the main thread then serves the metrics of all. */
export interface Together {
  /** To the others. */
  readonly siblings: Channel;
  /** Whether this thread signs its log, because it is the only one that appends to it. */
  readonly signsLog: boolean;
  /** INVARIANT: the same one for all, so that none decides once one of them has found a log that is not the signed one. */
  readonly alarm: ForkAlarm;
}

export async function startService(options: ServiceOptions): Promise<RunningService> {
  const closers = new Closers(options.log);
  try {
    return await start(options, closers);
  } catch (error) {
    await closers.close();
    throw error;
  }
}

async function start(options: ServiceOptions, closers: Closers): Promise<RunningService> {
  const { config, log, clock = Date.now, environment = process.env, together } = options;
  const alarm = together?.alarm ?? new ForkAlarm();
  const store = refuseWhenForked(options.store, () => alarm.isRaised);
  const outages = sampledLog(log);
  closers.add(() => outages.stop());
  const metrics = config.metricsPort === null ? null : await createMetrics();
  const tracing = await createTracing(environment);
  closers.add(() => tracing?.stop());
  let isServing = true;
  const serviceClock = await ServiceClock.open({
    store,
    clock,
    log,
    kept: readKeptCheckpoint(config.data)?.clock ?? null,
    uptime: options.uptime ?? (options.clock === undefined ? machineUptimeMs : null),
  });
  const { steady } = serviceClock;
  const audit = await openAudit(config, store, clock(), { clock: () => serviceClock.anchor, alarm });
  if (audit.notice !== null) log.warn({}, audit.notice);

  const desk = new PolicyDesk();
  closers.add(() => desk.close());
  // A separate desk: bundles being applied never delay those that decide.
  const loadingDesk = new PolicyDesk();
  closers.add(() => loadingDesk.close());
  const trustedMs = () => steady.notBefore(clock());
  const remembered = followChanges(store, loadingDesk, trustedMs);
  const { authenticator, sessions, book, waits, stop: stopFollowing } = remembered;
  closers.add(stopFollowing);
  const limits = requestLimits(config);
  const { failures, signIns, signups, ratePerKey } = limits;
  if (together !== undefined) closers.add(shareLimits({ ...limits }, together.siblings, clock));
  const turns = new Turns();
  metrics?.watchQueue(() => turns.depth);
  metrics?.watchClock(() => steady.aheadMs(clock()));
  const snapshotOf = (workspace: string) => book.snapshotOf(workspace);
  const snapshotOfRunning = (workspace: string, digest: string | null) =>
    book.snapshotOfRunning(workspace, digest);
  const publicUrl = () =>
    config.publicUrl?.replace(/\/$/, '') ?? `http://localhost:${portOf(server.address())}`;
  const sender = openSender(config.webhookAllow);
  closers.add(sender.close);
  const deliverer = new Deliverer({
    store,
    links: {
      decision: (id) => `${publicUrl()}/#/decisions/${id}`,
      review: (id) => `${publicUrl()}/reviews/${id}`,
    },
    signer: audit.signer.line,
    derive: audit.signer.derive,
    send: sender.send,
    clock: trustedMs,
    log,
    outages,
    ...(metrics === null ? {} : { settled: metrics.delivered }),
  });
  const commits = new GroupCommit(store, GROUP_COMMIT_LIMITS, commitObserver(outages, metrics));
  const readiness = readinessOf({
    store,
    clock: steady,
    commits,
    isForked: () => alarm.isRaised,
    isServing: () => isServing,
  });
  const people: PeopleParts = { store, clock: steady, sessions, publicUrl };
  const policies = { store, book, desk, folder: config.policies };
  const impact = { store, clock: steady, now: clock, log };
  const impactDesk = new ImpactDesk(impact);
  const parts: ServiceParts = {
    config,
    store,
    audit,
    authenticator,
    policies,
    impact: { ...impact, desk: impactDesk, policies },
    check: {
      store,
      snapshotOf,
      snapshotOfRunning,
      clock: steady,
      commits,
      receipts: receiptsOf(store, audit),
      runningKeys: new RunningKeys(),
      turns,
      usedUp: new UsedUp(),
      ...(metrics === null ? {} : { decided: metrics.decided }),
      ...(tracing === null ? {} : { trace: tracing }),
    },
    reviews: {
      store,
      snapshotOf: async (workspace) => {
        const [running] = await store.listPolicies(workspace, 1);
        return snapshotOfRunning(workspace, running?.digest ?? null);
      },
      clock: steady,
      waits,
      changed: ({ review, entries }) => {
        waits.wake(review.id);
        for (const { event, details, timestamp } of entries) {
          steady.saw(Date.parse(timestamp));
          if (event === 'verdict') metrics?.reviewed(String(details.verdict));
        }
      },
      party: () => partyOf(people),
      urlOf: (reviewId) => `${publicUrl()}/reviews/${reviewId}`,
    },
    webhooks: {
      store,
      allowed: config.webhookAllow,
      signer: audit.signer,
      wake: deliverer.wake,
    },
    people,
    signIn: { limit: signIns, oidc: openOidc(config, people, log) },
    ratePerKey,
    signups,
    readiness,
  };
  metrics?.watchReviews(
    () => store.openReviews(),
    () => waits.held,
    clock,
  );
  metrics?.watchWebhooks(() => store.waitingDeliveries(), clock);

  closers.add(() => authenticator.flushUses());
  closers.add(() => sessions.flushUses());
  if (together?.signsLog !== false) closers.add(signRegularly(audit, outages));
  closers.add(workRegularly(parts, outages, clock, serviceClock));
  closers.add(() => deliverer.stop());
  const findRoute = routeFinder([...allRoutes(parts), ...consoleRoutes(config)]);
  const observed = observer(findRoute, { metrics, tracing, log, level: config.logLevel });
  const refusedKeys = new RefusedKeys(log);
  closers.add(() => refusedKeys.stop());
  const gates: Gatekeeping = {
    findRoute,
    authenticator,
    sessions,
    clock: { notBefore: (clockMs) => steady.latest(clockMs) },
    addressOf: (request) => clientAddress(request.peer, request.header('x-forwarded-for'), config.trustProxy),
    failures,
    ratePerKey,
    admitted: observed.admitted,
    refusedKey: (code, address) => refusedKeys.count(code, address),
  };
  const handle: ExchangeParts['handle'] = (request, context) => handleRequest(gates, request, context);
  const { server, drain } = httpServer({
    clock,
    handle:
      tracing === null
        ? handle
        : (request, context) => tracing.around(context, () => handle(request, context)),
    failed: (error, context) => failedAnswer(error, context, log, outages),
    finished: observed.finished,
  });
  let drainTimes = CUT;
  const folder =
    config.policies === null
      ? null
      : new PolicyFolder(config.policies, store, parts.policies, log, () =>
          parts.check.clock.notBefore(clock()),
        );
  closers.add(() => folder?.stop());
  await metrics?.watchState({
    version: VERSION,
    store: store.logPlace.kind,
    readiness: () => readiness(clock()),
    isForked: () => alarm.isRaised,
    sinceSignedMs: sinceSigned(store),
    clockBehindMs: () => Math.max(0, steady.behindMs(clock())),
    figures: () => store.figures(),
    isFolderRefused: () => folder?.isRefused ?? false,
    revisions: () => book.revisions(),
  });
  let metricsServer: Server | null = null;
  closers.add(() => {
    metricsServer?.close();
    metricsServer?.closeAllConnections();
  });
  closers.add(() => drain(drainTimes));
  // INVARIANT: nothing is decided before the folder's bundle, or an earlier one of it, runs. The port is taken first,
  // so that a start that fails on it changes no policy; until the bundle runs, connections are dropped.
  server.maxConnections = 0;
  await listen(server, config.port, config.host, together !== undefined);
  await folder?.start();
  server.maxConnections = Number.POSITIVE_INFINITY;
  deliverer.start();
  if (metrics !== null && together === undefined) {
    metricsServer = metricsServerFor(metrics.render);
    await listen(metricsServer, config.metricsPort!, config.host);
  }

  return {
    url: urlOf(config.host, server.address()),
    metricsUrl: metricsServer === null ? null : urlOf(config.host, metricsServer.address()),
    gatherMetrics: metrics?.gather ?? null,
    async stop(times = {}) {
      isServing = false;
      waits.endAll();
      // A promotion that waits for its run gets a response before the drain.
      await impactDesk
        .stop()
        .catch((error) => log.warn({ error: String(error) }, 'impact runs were cut off'));
      drainTimes = { ...DRAIN, ...times };
      await closers.close();
      await store.close();
    },
  };
}
