/** The composition root: builds the parts of a service around a store, listens, and stops again. */
import type { IncomingMessage, Server } from 'node:http';
import { openAudit, signRegularly } from './audit/open-audit.ts';
import { readRecord } from './check-write/audit-record.ts';
import { checkWrite } from './check-write/check-write.ts';
import { GROUP_COMMIT_LIMITS, GroupCommit } from './check-write/group-commit.ts';
import { RunningKeys } from './check-write/idempotency.ts';
import { SteadyClock } from './check-write/steady-clock.ts';
import { Turns } from './check-write/turns.ts';
import { UsedUp } from './check-write/used-up.ts';
import type { Config } from './config/settings.ts';
import { allRoutes } from './http/all-routes.ts';
import { withoutSlashAtEnd } from './http/base-url.ts';
import { clientAddress } from './http/client-address.ts';
import { failedAnswer } from './http/failed-answer.ts';
import { routeFinder } from './http/find-route.ts';
import { handleRequest } from './http/handle-request.ts';
import { listen, portOf, urlOf } from './http/listen.ts';
import { observer } from './http/observe-exchange.ts';
import { consoleRoutes } from './http/routes/console-routes.ts';
import { type DrainTimes, httpServer } from './http/server.ts';
import type { ServiceParts } from './http/service-parts.ts';
import { type Channel, shareLimits } from './http/share-limits.ts';
import { WindowLimit } from './http/window-limit.ts';
import { Authenticator } from './keys/authenticate.ts';
import { commitObserver } from './observability/commit-observer.ts';
import type { Log } from './observability/log.ts';
import { createMetrics, metricsServerFor } from './observability/metrics.ts';
import { createTracing } from './observability/tracing.ts';
import { PolicyBook } from './policies/policy-book.ts';
import { PolicyDesk } from './policies/policy-desk.ts';
import { PolicyFolder } from './policies/policy-folder.ts';
import { sweepReviews } from './reviews/review-desk.ts';
import { ReviewWaits } from './reviews/review-waits.ts';
import type { Store } from './store/port.ts';

const FAILURES_A_MINUTE = 120;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const FLUSH_USES_EVERY_MS = 1_000;
/** Commits wait while they are written. */
const USES_A_FLUSH = 1_000;
const LOOK_AT_NEWEST_EVERY_MS = 1_000;
const SWEEP_EVERY_MS = 10 * MINUTE_MS;
const CLOSE_REVIEWS_EVERY_MS = 1_000;
const DRAIN = { idleGraceMs: 1_000, deadlineMs: 8_000 };

export interface RunningService {
  readonly url: string;
  readonly metricsUrl: string | null;
  /** Takes no new connection, lets every answer in flight go out, and lets go of the store. */
  stop(times?: Partial<DrainTimes>): Promise<void>;
}

export interface ServiceOptions {
  readonly config: Config;
  readonly store: Store;
  readonly log: Log;
  readonly clock?: () => number;
  readonly environment?: NodeJS.ProcessEnv;
  /** Whether it serves its own metrics; a primary process does it for its workers. */
  readonly servesMetrics?: boolean;
  /** To the other processes of the same service, where there are any. */
  readonly siblings?: Channel;
  /** Whether they listen on the same port. */
  readonly sharesPort?: boolean;
}

export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { config, store, log, clock = Date.now, environment = process.env } = options;
  const metrics = config.metricsPort === null ? null : await createMetrics();
  const tracing = await createTracing(environment);
  let isServing = true;
  const audit = await openAudit(config, store, clock());

  const authenticator = new Authenticator(store);
  const desk = new PolicyDesk();
  // A desk of its own: bundles that somebody applies never hold up those that decide.
  const loadingDesk = new PolicyDesk();
  const book = new PolicyBook(store, loadingDesk);
  const commits = new GroupCommit(store, GROUP_COMMIT_LIMITS, commitObserver(log, metrics));
  const turns = new Turns();
  const waits = new ReviewWaits();
  metrics?.watchQueue(() => turns.depth);
  const stopWatching = store.watch(
    (change) => {
      if (change.kind === 'key' || change.kind === 'everything') authenticator.forgetAll();
      book.follow(change);
      waits.follow(change);
    },
    (atMs) => authenticator.unchanged(atMs),
  );
  const ratePerKey = config.ratePerKey === null ? null : new WindowLimit(config.ratePerKey, 1_000);
  const signups = new WindowLimit(config.signupsPerHour, HOUR_MS);
  const failures = new WindowLimit(FAILURES_A_MINUTE, MINUTE_MS);
  const shared = { signups, failures, ...(ratePerKey === null ? {} : { ratePerKey }) };
  const stopSharing =
    options.siblings === undefined ? () => {} : shareLimits(shared, options.siblings, clock);
  const steady = new SteadyClock(await store.newestAtMs());
  const snapshotOf = (workspace: string) => book.snapshotOf(workspace);
  const publicUrl = () =>
    withoutSlashAtEnd(config.publicUrl ?? `http://localhost:${portOf(server.address())}`);
  const parts: ServiceParts = {
    config,
    store,
    audit,
    authenticator,
    policies: { store, book, desk, folder: config.policies },
    check: {
      store,
      snapshotOf,
      clock: steady,
      commits,
      receipts: {
        textOf: (committed) => audit.notary.receiptTextOf(committed),
        async again({ workspace, keyId }, decisionId) {
          const found = await store.findDecision(workspace, decisionId);
          // INVARIANT: whoever may not ask for the receipt does not get it with a replayed answer either.
          if (found === null || readRecord(found.record).keyId !== keyId) return null;
          return audit.notary.receiptFor(found);
        },
      },
      runningKeys: new RunningKeys(),
      turns,
      usedUp: new UsedUp(),
      ...(metrics === null ? {} : { decided: metrics.decided }),
    },
    reviews: {
      store,
      snapshotOf,
      clock: steady,
      waits,
      changed: ({ review, entries }) => {
        waits.wake(review.id);
        for (const { event, details, timestamp } of entries) {
          steady.saw(Date.parse(timestamp));
          if (event === 'verdict') metrics?.reviewed(String(details.verdict));
        }
      },
      urlOf: (reviewId) => `${publicUrl()}/reviews/${reviewId}`,
    },
    ratePerKey,
    signups,
    isServing: () => isServing,
  };
  metrics?.watchReviews(
    () => store.openReviews(),
    () => waits.held,
    clock,
  );

  const folder =
    config.policies === null
      ? null
      : new PolicyFolder(config.policies, store, parts.policies, log, () =>
          parts.check.clock.notBefore(clock()),
        );
  const findRoute = routeFinder([...allRoutes(parts), ...consoleRoutes(config)]);
  const gates = {
    findRoute,
    authenticate: (header: string | undefined, nowMs: number) =>
      authenticator.authenticate(header, parts.check.clock.notBefore(nowMs)),
    addressOf: ({ socket, headers }: IncomingMessage) =>
      clientAddress(socket.remoteAddress ?? '', headers['x-forwarded-for']?.toString(), config.trustProxy),
    failures,
    ratePerKey,
  };
  const { server, drain } = httpServer({
    clock,
    handle: (request, context, sendContinue) => handleRequest(gates, request, context, sendContinue),
    failed: (error, context) => failedAnswer(error, context, log),
    finished: observer(findRoute, { metrics, tracing, log, level: config.logLevel }),
    // A rate that is counted by key is told in headers, which the short way does not have.
    ...(ratePerKey === null
      ? {
          lane: {
            authenticate: (digest, nowMs) =>
              authenticator.authenticateDigest(digest, parts.check.clock.notBefore(nowMs)),
            check: (call) => checkWrite(parts.check, call),
          },
        }
      : {}),
  });

  const stopTimers = startTimers(parts, log, clock);
  const stopSigning = signRegularly(audit, log);
  let metricsServer: Server | null = null;
  const letGo = () => {
    stopTimers();
    stopWatching();
    stopSharing();
    metricsServer?.close();
    metricsServer?.closeAllConnections();
  };
  try {
    // INVARIANT: nothing is decided before the folder's bundle runs, or an earlier one of it. The port comes first, so
    // that a start that fails on it changes no policy; until the bundle runs, connections are dropped.
    server.maxConnections = 0;
    await listen(server, config.port, config.host, options.sharesPort);
    await folder?.start();
    server.maxConnections = Number.POSITIVE_INFINITY;
    if (metrics !== null && options.servesMetrics !== false) {
      metricsServer = metricsServerFor(metrics.render);
      await listen(metricsServer, config.metricsPort!, config.host);
    }
  } catch (error) {
    server.close();
    letGo();
    await Promise.allSettled([folder?.stop(), desk.close(), loadingDesk.close()]);
    await stopSigning();
    throw error;
  }

  return {
    url: urlOf(config.host, server.address()),
    metricsUrl: metricsServer === null ? null : urlOf(config.host, metricsServer.address()),
    async stop(times = {}) {
      isServing = false;
      waits.endAll();
      await drain({ ...DRAIN, ...times });
      letGo();
      await folder?.stop();
      await Promise.allSettled([
        stopSigning(),
        authenticator.flushUses(),
        tracing?.stop(),
        desk.close(),
        loadingDesk.close(),
      ]);
      await store.close();
    },
  };
}

function startTimers(
  { authenticator, store, check, reviews }: ServiceParts,
  log: Log,
  clock: () => number,
): () => void {
  const tell = (what: string) => (error: unknown) => log.warn({ error: String(error) }, what);
  const flushing = setInterval(() => {
    authenticator.flushUses(USES_A_FLUSH).catch(tell('last uses of keys could not be noted'));
  }, FLUSH_USES_EVERY_MS);
  const sweeping = setInterval(() => {
    store.sweep(clock()).catch(tell('what has expired could not be swept'));
  }, SWEEP_EVERY_MS);
  const looking = setInterval(() => {
    // What another process committed counts for our time too.
    store
      .newestAtMs()
      .then((newestMs) => check.clock.saw(newestMs), tell('the newest record could not be read'));
  }, LOOK_AT_NEWEST_EVERY_MS);
  const closing = setInterval(() => {
    sweepReviews(reviews, check.clock.notBefore(clock())).catch(tell('overdue reviews could not be closed'));
  }, CLOSE_REVIEWS_EVERY_MS);
  flushing.unref();
  closing.unref();
  looking.unref();
  sweeping.unref();
  return () => {
    clearInterval(flushing);
    clearInterval(closing);
    clearInterval(looking);
    clearInterval(sweeping);
  };
}
