/** Puts the service together; the only file that names a concrete store. */
import type { AddressInfo } from 'node:net';
import { GROUP_COMMIT_LIMITS, GroupCommit } from './check-write/group-commit.ts';
import { RunningKeys } from './check-write/idempotency.ts';
import { SteadyClock } from './check-write/steady-clock.ts';
import type { Config } from './config/settings.ts';
import { allRoutes } from './http/all-routes.ts';
import { clientAddress } from './http/client-address.ts';
import { failedAnswer } from './http/failed-answer.ts';
import { routeFinder } from './http/find-route.ts';
import { handleRequest } from './http/handle-request.ts';
import { type DrainTimes, type Exchange, httpServer } from './http/server.ts';
import type { ServiceParts } from './http/service-parts.ts';
import { WindowLimit } from './http/window-limit.ts';
import { Authenticator } from './keys/authenticate.ts';
import { createFirstWorkspace, type NewWorkspace } from './keys/create-workspace.ts';
import type { Log } from './observability/log.ts';
import { createMetrics, serveMetrics } from './observability/metrics.ts';
import { createTracing } from './observability/tracing.ts';
import { everyChangeMayLoosen } from './policies/comparison.ts';
import { PolicyBook } from './policies/policy-book.ts';
import type { Store } from './store/port.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';

const FAILURES_A_MINUTE = 120;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const FLUSH_USES_EVERY_MS = 1_000;
const SWEEP_EVERY_MS = 10 * MINUTE_MS;
const DRAIN = { idleGraceMs: 1_000, deadlineMs: 8_000 };
const FIRST_WORKSPACE_NAME = 'default';

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
}

export function openStore(config: Pick<Config, 'data' | 'databaseUrl'>): Promise<Store> {
  return openSqliteStore(config.data);
}

/** Null where there is a workspace already. */
export function makeFirstWorkspace(store: Store, nowMs: number): Promise<NewWorkspace | null> {
  return createFirstWorkspace(store, FIRST_WORKSPACE_NAME, nowMs);
}

export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { config, store, log, clock = Date.now, environment = process.env } = options;
  const metrics = config.metricsPort === null ? null : await createMetrics();
  const tracing = await createTracing(environment);
  let isServing = true;

  const authenticator = new Authenticator(store);
  const book = new PolicyBook(store);
  const commits = new GroupCommit(store, GROUP_COMMIT_LIMITS, metrics);
  metrics?.watchQueue(() => commits.depth);
  const stopWatching = store.watch((change) => {
    if (change.kind !== 'policy') authenticator.forgetAll();
    book.follow(change);
  });
  const ratePerKey = config.ratePerKey === null ? null : new WindowLimit(config.ratePerKey, 1_000);
  const parts: ServiceParts = {
    config,
    store,
    authenticator,
    policies: { store, book, compareBundles: everyChangeMayLoosen },
    check: {
      store,
      snapshotOf: (workspace) => book.snapshotOf(workspace),
      clock: new SteadyClock(await store.newestAtMs()),
      commits,
      runningKeys: new RunningKeys(),
      ...(metrics === null ? {} : { decided: metrics.decided }),
    },
    ratePerKey,
    signups: new WindowLimit(config.signupsPerHour, HOUR_MS),
    isServing: () => isServing,
  };

  const findRoute = routeFinder(allRoutes(parts));
  const gates = {
    findRoute,
    authenticate: (header: string | undefined, nowMs: number) => authenticator.authenticate(header, nowMs),
    addressOf: (request: {
      readonly socket: { remoteAddress?: string | undefined };
      readonly headers: NodeJS.Dict<string | string[]>;
    }) =>
      clientAddress(
        request.socket.remoteAddress ?? '',
        String(request.headers['x-forwarded-for'] ?? '') || undefined,
        config.trustProxy,
      ),
    failures: new WindowLimit(FAILURES_A_MINUTE, MINUTE_MS),
    ratePerKey,
  };
  const finished = (exchange: Exchange) => {
    const { context, method, path, status, headers, durationMs } = exchange;
    const found = findRoute(method, path.split('?', 1)[0]!);
    const route = found.kind === 'route' ? found.route.path : 'none';
    metrics?.answered(route, status, durationMs / 1_000);
    tracing?.finished({
      method,
      route,
      status,
      traceId: context.traceId,
      headers,
      startedAtMs: context.nowMs,
      durationMs,
    });
    const isManagement = found.kind === 'route' && method !== 'GET' && !found.route.isCheck;
    const fields = {
      method,
      route,
      status,
      durationMs: Math.round(durationMs * 100) / 100,
      requestId: context.requestId,
    };
    if (isManagement) log.info(fields, 'answered');
    else log.debug(fields, 'answered');
  };
  const { server, drain } = httpServer({
    clock,
    handle: (request, context, sendContinue) => handleRequest(gates, request, context, sendContinue),
    failed: (error, context) => failedAnswer(error, context, log),
    finished,
  });

  const stopTimers = startTimers(parts, log, clock);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  const metricsServer =
    metrics === null || options.servesMetrics === false
      ? null
      : await serveMetrics(config.host, config.metricsPort!, metrics.render);

  return {
    url: urlOf(config.host, server.address()),
    metricsUrl: metricsServer === null ? null : urlOf(config.host, metricsServer.server.address()),
    async stop(times = {}) {
      isServing = false;
      await drain({ ...DRAIN, ...times });
      stopTimers();
      stopWatching();
      metricsServer?.server.close();
      metricsServer?.server.closeAllConnections();
      await Promise.allSettled([authenticator.flushUses(), tracing?.stop()]);
      await store.close();
    },
  };
}

function startTimers({ authenticator, store }: ServiceParts, log: Log, clock: () => number): () => void {
  const tell = (what: string) => (error: unknown) => log.warn({ error: String(error) }, what);
  const flushing = setInterval(() => {
    authenticator.flushUses().catch(tell('last uses of keys could not be noted'));
  }, FLUSH_USES_EVERY_MS);
  const sweeping = setInterval(() => {
    store.sweep(clock()).catch(tell('what has expired could not be swept'));
  }, SWEEP_EVERY_MS);
  flushing.unref();
  sweeping.unref();
  return () => {
    clearInterval(flushing);
    clearInterval(sweeping);
  };
}

function urlOf(host: string, address: AddressInfo | string | null): string {
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  // An address that stands for every interface is no address to call.
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
