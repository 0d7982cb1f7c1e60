/** The foundation of every part of a service: the store, the time, the signed log, and the observers. */
import type { ForkAlarm } from '@writecheck/store/append-guard';
import type { Store } from '@writecheck/store/port';
import { readKeptCheckpoint } from '../features/audit/kept-checkpoint.ts';
import { type Audit, openAudit } from '../features/audit/open-audit.ts';
import { machineUptimeMs } from '../support/clocks/clock-reference.ts';
import { ServiceClock } from '../support/clocks/service-clock.ts';
import type { Config } from '../support/config/settings.ts';
import type { Log } from '../support/observability/log.ts';
import { createMetrics, type Metrics } from '../support/observability/metrics.ts';
import { sampledLog } from '../support/observability/sampled-log.ts';
import { createTracing, type Tracing } from '../support/observability/tracing.ts';
import type { Closers } from './closers.ts';

export interface FoundationOptions {
  readonly config: Config;
  readonly store: Store;
  readonly log: Log;
  readonly clock?: () => number;
  /** Milliseconds since the machine started. A given clock is compared with another clock only if this is given too. */
  readonly uptime?: () => number;
  readonly environment?: NodeJS.ProcessEnv;
}

export interface Foundation {
  readonly config: Config;
  /** Appends nothing once the alarm is raised. */
  readonly store: Store;
  readonly alarm: ForkAlarm;
  /** The system clock, which may be wrong. */
  readonly clock: () => number;
  /** The time by which the service decides. */
  readonly serviceClock: ServiceClock;
  /** The time that may be written, see `SteadyClock.notBefore`. */
  readonly trustedMs: () => number;
  readonly audit: Audit;
  readonly log: Log;
  /** The same log, which logs repeated errors as counts. */
  readonly outages: Log;
  /** Null if not configured. */
  readonly metrics: Metrics | null;
  readonly tracing: Tracing | null;
}

/** Rejects with `LogRefused` if the log is not the signed one. */
export async function openFoundation(
  options: FoundationOptions,
  alarm: ForkAlarm,
  closers: Closers,
): Promise<Foundation> {
  const { config, log, clock = Date.now, environment = process.env } = options;
  const { store } = options;
  store.guardAppending(alarm);
  const outages = sampledLog(log);
  closers.add(() => outages.stop());
  const metrics = config.metricsPort === null ? null : await createMetrics();
  const tracing = await createTracing(environment);
  closers.add(() => tracing?.stop());
  const serviceClock = await ServiceClock.open({
    store,
    clock,
    log,
    kept: readKeptCheckpoint(config.data)?.clock ?? null,
    uptime: options.uptime ?? (options.clock === undefined ? machineUptimeMs : null),
  });
  const audit = await openAudit(config, store, clock(), { clock: () => serviceClock.anchor, alarm });
  if (audit.notice !== null) log.warn({}, audit.notice);
  const trustedMs = () => serviceClock.steady.notBefore(clock());
  return { config, store, alarm, clock, serviceClock, trustedMs, audit, log, outages, metrics, tracing };
}
