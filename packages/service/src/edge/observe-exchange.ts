/** Reports every exchange to metrics, traces and the log; on the hot path only if somebody listens. */
import type { Actor } from '../exchange/actor.ts';
import type { RequestContext } from '../exchange/request-context.ts';
import { EVALUATIONS_PATH } from '../features/authzen/authzen-answers.ts';
import type { Log } from '../support/observability/log.ts';
import type { Metrics } from '../support/observability/metrics.ts';
import type { RefusedRequests } from '../support/observability/refused-requests.ts';
import type { Tracing } from '../support/observability/tracing.ts';
import type { Exchange } from './connection/connection-parts.ts';
import type { FoundRoute } from './find-route.ts';

export interface Observers {
  readonly metrics: Metrics | null;
  readonly tracing: Tracing | null;
  readonly log: Log;
  readonly refused: Pick<RefusedRequests, 'add'>;
}

export interface ExchangeObserver {
  /** Remembers who makes this request, for its line in the log. */
  admitted(context: RequestContext, actor: Pick<Actor, 'workspace' | 'id'>): void;
  /** Whether a check or a report that is answered has a line, too. */
  isDebugging(): boolean;
  finished(exchange: Exchange): void;
}

const OUTCOME_END = '/outcome';
const DEBUG_LEVELS: ReadonlySet<string> = new Set(['trace', 'debug']);

function isFrequent(path: string): boolean {
  return path.includes('check-write') || path.startsWith(EVALUATIONS_PATH) || path.endsWith(OUTCOME_END);
}

export function observer(
  findRoute: (method: string, path: string) => FoundRoute,
  { metrics, tracing, log, refused }: Observers,
): ExchangeObserver {
  const isWatched = metrics !== null || tracing !== null;
  const isDebugging = () => DEBUG_LEVELS.has(log.level ?? '');
  const actors = new WeakMap<RequestContext, Pick<Actor, 'workspace' | 'id'>>();
  return {
    admitted: (context, actor) => void actors.set(context, actor),
    isDebugging,
    finished({ request, context, status, code, durationMs }) {
      const { method, path } = request;
      if (isFrequent(path) && !isWatched && code === null && !isDebugging()) return;
      const found = findRoute(method, path);
      const route = found.kind === 'route' ? found.route.path : 'none';
      const { requestId, traceId } = context;
      metrics?.answered(route, status, durationMs / 1_000, code);
      const traceparent = request.header('traceparent');
      tracing?.finished({ method, route, status, code, context, traceparent, durationMs });
      const isManagement =
        found.kind === 'route' &&
        method !== 'GET' &&
        method !== 'HEAD' &&
        !(found.route.isCheck || found.route.isReport);
      const actor = actors.get(context);
      const fields = {
        method,
        route,
        status,
        ...(code === null ? {} : { code }),
        ...(actor === undefined ? {} : { workspace: actor.workspace, actor: actor.id }),
        durationMs: Math.round(durationMs * 100) / 100,
        requestId,
        traceId,
      };
      if (isManagement) log.info(fields, 'answered');
      else if (code !== null && !isDebugging()) refused.add({ ...fields, code });
      else log.debug(fields, 'answered');
    },
  };
}
