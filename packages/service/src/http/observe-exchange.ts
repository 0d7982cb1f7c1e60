/** Reports every exchange to metrics, traces and the log; on the hot path only if somebody listens. */
import type { Config } from '../config/settings.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Tracing } from '../observability/tracing.ts';
import type { Exchange } from './exchange.ts';
import type { FoundRoute } from './find-route.ts';

export interface Observers {
  readonly metrics: Metrics | null;
  readonly tracing: Tracing | null;
  readonly log: Log;
  readonly level: Config['logLevel'];
}

const DEBUG_LEVELS: ReadonlySet<string> = new Set(['trace', 'debug']);

export function observer(
  findRoute: (method: string, path: string) => FoundRoute,
  { metrics, tracing, log, level }: Observers,
): (exchange: Exchange) => void {
  const observesChecks = metrics !== null || tracing !== null || DEBUG_LEVELS.has(level);
  return ({ request, context, status, durationMs }) => {
    const { method, path } = request;
    if (!observesChecks && path.includes('check-write')) return;
    const found = findRoute(method, path);
    const route = found.kind === 'route' ? found.route.path : 'none';
    const { requestId, traceId, nowMs: startedAtMs } = context;
    metrics?.answered(route, status, durationMs / 1_000);
    const traceparent = request.header('traceparent');
    tracing?.finished({ method, route, status, traceId, traceparent, startedAtMs, durationMs });
    const isManagement =
      found.kind === 'route' && method !== 'GET' && method !== 'HEAD' && !found.route.isCheck;
    const fields = { method, route, status, durationMs: Math.round(durationMs * 100) / 100, requestId };
    if (isManagement) log.info(fields, 'answered');
    else log.debug(fields, 'answered');
  };
}
