/** Prometheus metrics: decisions and refusals by code, request and commit times, queue depth. */
import type { Server } from 'node:http';
import { ERROR_CATALOGUE } from '@writecheck/contract';
import { createServer } from '../node-http.ts';
import type { CommitMetrics } from './commit-observer.ts';
import { type ServiceState, watchState } from './state-metrics.ts';

export interface Metrics extends CommitMetrics {
  decided(decision: string, reasonCode: string): void;
  /** An enforcing limit did this to a write beyond it. */
  limitBeyond(effect: string): void;
  /** `code` is that of an error, null for any other response. */
  answered(route: string, status: number, seconds: number, code: string | null): void;
  reviewed(verdict: string): void;
  /** How many webhook deliveries ended with this outcome, or will be retried. */
  delivered(state: string, count: number): void;
  /** Read at every scrape, not counted on the hot path. */
  watchState(state: ServiceState): Promise<void>;
  render(): Promise<string>;
  /** One thread's part of the metrics of a process, which it passes to the main thread. */
  gather(): Promise<GatheredMetrics>;
}

/** Metrics in the form of prom-client. */
export type GatheredMetrics = readonly object[];

const LATENCY_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600,
];
/** Operators alert on these errors; each is counted from 0, so that the first one shows as an increase. */
const ALERTED_STATUSES: ReadonlySet<number> = new Set([401, 429, 500, 503]);
const COMMIT_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** The library is loaded only if metrics are configured. */
export async function createMetrics(): Promise<Metrics> {
  const { collectDefaultMetrics, Counter, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = (name: string, help: string, ...labelNames: readonly string[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string, buckets: number[], ...labelNames: readonly string[]) =>
    new Histogram({ name, help, buckets, labelNames, registers });
  const decisions = counter('writecheck_decisions_total', 'decisions answered', 'decision', 'reason_code');
  const beyond = counter(
    'writecheck_limit_beyond_total',
    'writes beyond an enforcing limit, by what the limit did',
    'effect',
  );
  const latency = histogram(
    'writecheck_request_duration_seconds',
    'from the head of a request to its response',
    LATENCY_SECONDS,
    'route',
    'status',
  );
  const refusals = counter('writecheck_refusals_total', 'requests refused, by error code', 'code');
  for (const [code, { status }] of Object.entries(ERROR_CATALOGUE)) {
    if (ALERTED_STATUSES.has(status)) refusals.inc({ code }, 0);
  }
  const sizes = histogram(
    'writecheck_commit_decisions',
    'decisions made durable by one commit',
    COMMIT_SIZES,
  );
  const commits = histogram(
    'writecheck_commit_duration_seconds',
    'how long one commit took',
    LATENCY_SECONDS,
    'outcome',
  );
  const verdicts = counter('writecheck_review_verdicts_total', 'verdicts on reviews', 'verdict');
  const deliveries = counter(
    'writecheck_webhook_deliveries_total',
    'attempts to deliver to webhooks, by the outcome of the delivery',
    'state',
  );
  for (const state of ['delivered', 'retried', 'failed', 'dropped']) deliveries.inc({ state }, 0);
  return {
    decided: (decision, reasonCode) => decisions.inc({ decision, reason_code: reasonCode }),
    limitBeyond: (effect) => beyond.inc({ effect }),
    answered: (route, status, seconds, code) => {
      latency.observe({ route, status }, seconds);
      if (code !== null) refusals.inc({ code });
    },
    committed: (entries, durationMs, failure) => {
      sizes.observe(entries);
      commits.observe({ outcome: failure === null ? 'done' : 'failed' }, durationMs / 1_000);
    },
    reviewed: (verdict) => verdicts.inc({ verdict }),
    delivered: (state, count) => deliveries.inc({ state }, count),
    watchState: (state) => watchState(registry, state),
    render: () => registry.metrics(),
    gather: async () => (await registry.getMetricsAsJSON()).filter(({ name }) => !isOfProcess(name)),
  };
}

/** The same in every thread, so that adding them up would count them several times. */
function isOfProcess(name: string): boolean {
  return name.startsWith('process_');
}

/** The metrics of all threads together with those of the process; for the main thread, which decides nothing. */
export async function processMetrics(
  gather: () => Promise<readonly GatheredMetrics[]>,
): Promise<() => Promise<string>> {
  const { AggregatorRegistry, collectDefaultMetrics, Registry } = await import('prom-client');
  const own = new Registry();
  collectDefaultMetrics({ register: own });
  for (const { name } of await own.getMetricsAsJSON()) if (!isOfProcess(name)) own.removeSingleMetric(name);
  return async () => {
    const threads = (await gather()) as object[][];
    return `${await own.metrics()}${await AggregatorRegistry.aggregate(threads).metrics()}`;
  };
}

export function metricsServerFor(render: () => Promise<string>): Server {
  return createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await render();
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
    } catch {
      response.writeHead(500).end();
    }
  });
}
