/** The composition root: builds the parts of a service around a store, listens, and stops. */
import type { Server } from 'node:http';
import { ForkAlarm } from '@writecheck/store/append-guard';
import { RecentAllows } from './check/recent-allows.ts';
import type { DrainTimes } from './edge/connection/node-server.ts';
import { listen, portOf, releasePorts, type TakenPorts, takePorts, urlOf } from './edge/listen.ts';
import { type LimitMemories, requestLimits } from './edge/request-limits.ts';
import { ExportPlaces } from './features/audit/export-places.ts';
import { signRegularly } from './features/audit/open-audit.ts';
import type { PolicyParts } from './features/policies/apply-policy.ts';
import { PolicyJobs } from './features/policies/policy-jobs.ts';
import { Deliverer } from './features/webhooks/deliverer.ts';
import { openSender } from './features/webhooks/open-sender.ts';
import { buildParts } from './runtime/build-parts.ts';
import { buildServer } from './runtime/build-server.ts';
import { Closers } from './runtime/closers.ts';
import { followChanges, type Remembered } from './runtime/follow-changes.ts';
import { type Foundation, type FoundationOptions, openFoundation } from './runtime/foundation.ts';
import { workRegularly } from './runtime/regular-work.ts';
import { watchMetrics } from './runtime/watch-metrics.ts';
import { type GatheredMetrics, metricsServerFor } from './support/observability/metrics.ts';
import type { Siblings } from './support/siblings.ts';

const DRAIN: DrainTimes = { idleGraceMs: 1_000, deadlineMs: 8_000 };
const CUT: DrainTimes = { idleGraceMs: 0, deadlineMs: 0 };

export interface RunningService {
  readonly url: string;
  readonly metricsUrl: string | null;
  /** Lets the caller add this thread's metrics to those of others; null if metrics are not configured. */
  readonly gatherMetrics: (() => Promise<GatheredMetrics>) | null;
  /** Takes no new connections, sends every response in flight, and releases the store. */
  stop(times?: Partial<DrainTimes>): Promise<void>;
}

export interface ServiceOptions extends FoundationOptions {
  /** If they were taken before the store was opened; it takes its own otherwise. */
  readonly ports?: TakenPorts;
  /** If other threads of this process answer on the same port. */
  readonly together?: Together;
}

/** What changes if several threads are one service: the main thread then serves the metrics of all. */
export interface Together {
  /**
   * Called when everything but the port is ready; resolves when all threads are, so that all start to listen
   * together.
   */
  readonly prepared: () => Promise<unknown>;
  /** Resolves when all threads listen. INVARIANT: until then nobody gets a response, and after it no connection is dropped. */
  readonly opened: Promise<unknown>;
  readonly limits: LimitMemories;
  readonly recentAllows: SharedArrayBuffer;
  readonly exports: ExportPlaces;
  readonly siblings: Siblings;
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
  const { config, together } = options;
  /** What stopping changes. Until then, a start that fails cuts its connections. */
  const life = { isServing: true, drainTimes: CUT };

  const ports = together === undefined ? (options.ports ?? (await takePorts(config))) : null;
  closers.add(() => ports !== null && releasePorts(ports));
  const foundation = await openFoundation(options, together?.alarm ?? new ForkAlarm(), closers);
  const { store, clock, outages } = foundation;
  const limits = requestLimits(config, together?.limits);
  // Nothing reads it before the server listens.
  const publicUrl = () =>
    config.publicUrl?.replace(/\/$/, '') ?? `http://localhost:${portOf(http.server.address())}`;
  const deliverer = openDeliverer(foundation, publicUrl, closers);
  const remembered = remember(foundation, closers);
  const parts = await buildParts(foundation, {
    remembered,
    jobs: openPolicyJobs(closers),
    limits,
    recentAllows: new RecentAllows(together?.recentAllows),
    exports: together?.exports ?? new ExportPlaces(),
    publicUrl,
    wakeDeliverer: deliverer.wake,
    isServing: () => life.isServing,
  });

  closers.add(() => parts.authenticator.flushUses());
  closers.add(() => parts.people.sessions.flushUses());
  if (together?.signsLog !== false) closers.add(signRegularly(foundation.audit, outages));
  closers.add(workRegularly(parts, outages, clock, foundation.serviceClock));
  closers.add(() => deliverer.stop());
  const entrance = {
    failures: limits.failures,
    opening: together?.opened,
    siblings: together?.siblings ?? null,
    forgetAll: remembered.forgetAll,
  };
  const http = buildServer(foundation, parts, entrance, closers);
  await watchMetrics(foundation, parts);
  const metricsServer = ports === null ? null : openMetricsServer(foundation, closers);
  closers.add(() => http.drain(life.drainTimes));

  // INVARIANT: nothing is decided before the folder's bundle, or an earlier one, runs.
  if (config.policies !== null) await applyPolicies(foundation, parts.policies, closers);
  await together?.prepared();
  if (ports === null) await listen(http.server, config.port, config.host, true);
  else await ports.main.giveTo(http.server);
  deliverer.start();
  if (metricsServer !== null) await ports!.metrics!.giveTo(metricsServer);

  return {
    url: urlOf(config.host, http.server.address()),
    metricsUrl: metricsServer === null ? null : urlOf(config.host, metricsServer.address()),
    gatherMetrics: foundation.metrics?.gather ?? null,
    async stop(times = {}) {
      life.isServing = false;
      await parts.impact.stop();
      life.drainTimes = { ...DRAIN, ...times };
      await closers.close();
      await store.close();
    },
  };
}

function openPolicyJobs(closers: Closers): PolicyJobs {
  const jobs = new PolicyJobs();
  closers.add(() => jobs.close());
  return jobs;
}

/** Bundles are applied on their own thread, so they never delay the loading of bundles that decide. */
function remember({ store, trustedMs }: Foundation, closers: Closers): Remembered {
  const remembered = followChanges(store, openPolicyJobs(closers), trustedMs);
  closers.add(remembered.stop);
  return remembered;
}

function openDeliverer(
  { config, store, trustedMs, audit, log, outages, metrics }: Foundation,
  publicUrl: () => string,
  closers: Closers,
): Deliverer {
  const sender = openSender(config.webhookAllow);
  closers.add(sender.close);
  return new Deliverer({
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
    settled: metrics?.delivered ?? (() => undefined),
  });
}

async function applyPolicies(
  { config, store, log, trustedMs }: Foundation,
  policies: PolicyParts,
  closers: Closers,
): Promise<void> {
  const { applyFolder } = await import('./features/policies/policy-folder.ts');
  const stopping = new AbortController();
  closers.add(() => stopping.abort());
  const parts = { ...policies, store, log, clock: trustedMs };
  await applyFolder(parts, config.policies!, config.confirmLoosening, stopping.signal);
}

/** Null if metrics are not configured. */
function openMetricsServer({ metrics }: Foundation, closers: Closers): Server | null {
  if (metrics === null) return null;
  const server = metricsServerFor(metrics.render);
  closers.add(() => {
    server.close();
    server.closeAllConnections();
  });
  return server;
}
