/** Reports every exchange to metrics, traces and the log; on the hot path only if somebody listens. */
import type { Actor } from '../exchange/actor.ts';
import type { RequestContext } from '../exchange/request-context.ts';
import type { Log } from '../support/observability/log.ts';
import type { Metrics } from '../support/observability/metrics.ts';
import type { RefusedRequests } from '../support/observability/refused-requests.ts';
import type { Tracing } from '../support/observability/tracing.ts';
import type { ConnectionParts } from './connection/connection-parts.ts';
import type { FoundRoute } from './find-route.ts';
import type { Gatekeeping } from './gates.ts';

interface Observers {
  readonly metrics: Metrics | null;
  readonly tracing: Tracing | null;
  readonly log: Log;
  readonly refused: Pick<RefusedRequests, 'add'>;
}

const DEBUG_LEVELS: ReadonlySet<string> = new Set(['trace', 'debug']);

export function observer(
  findRoute: (method: string, path: string) => FoundRoute,
  { metrics, tracing, log, refused }: Observers,
): Pick<Gatekeeping, 'callerKnown' | 'isDebugging'> & Pick<ConnectionParts, 'finished'> {
  const isWatched = metrics !== null || tracing !== null;
  const isDebugging = () => DEBUG_LEVELS.has(log.level ?? '');
  const actors = new WeakMap<RequestContext, Pick<Actor, 'workspace' | 'id'>>();
  return {
    callerKnown: (context, actor) => void actors.set(context, actor),
    isDebugging,
    finished({ request, context, status, code, durationMs }) {
      const { method, path } = request;
      const found = findRoute(method, path);
      const frequent = found.kind === 'route' && found.route.operation.frequent;
      const hasNoLine = frequent === 'check' || frequent === 'report';
      if (hasNoLine && !isWatched && code === null && !isDebugging()) return;
      const route = found.kind === 'route' ? found.route.path : 'none';
      const { requestId, traceId } = context;
      metrics?.answered(route, status, durationMs / 1_000, code);
      const traceparent = request.header('traceparent');
      tracing?.finished({ method, route, status, code, context, traceparent, durationMs });
      const isManagement = found.kind === 'route' && method !== 'GET' && method !== 'HEAD' && !hasNoLine;
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
