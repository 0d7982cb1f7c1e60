/** Builds the HTTP server around the parts: routes behind gates, observed, and able to drain. */
import { type HttpServer, httpServer } from '../edge/connection/node-server.ts';
import { failedAnswer } from '../edge/failed-answer.ts';
import { routeTable } from '../edge/find-route.ts';
import { firstRoutes } from '../edge/first-routes.ts';
import { type Gatekeeping, requestHandler } from '../edge/gates.ts';
import { observer } from '../edge/observe-exchange.ts';
import type { ServiceParts } from '../parts/service-parts.ts';
import { clientAddress } from '../support/client-address.ts';
import { RefusedKeys } from '../support/observability/refused-keys.ts';
import { RefusedRequests } from '../support/observability/refused-requests.ts';
import type { Closers } from './closers.ts';
import type { Foundation } from './foundation.ts';

/** After this time the first checks have their responses. */
const LOAD_AHEAD_MS = 1_000;

type Entrance = Pick<Gatekeeping, 'failures' | 'siblings' | 'forgetAll' | 'opening'>;

export function buildServer(
  { config, clock, serviceClock, log, outages, metrics, tracing }: Foundation,
  parts: ServiceParts,
  entrance: Entrance,
  closers: Closers,
): HttpServer {
  const first = firstRoutes(parts);
  const loadAll = async () => (await import('../edge/all-routes.ts')).servedRoutes(parts, first);
  const routes = routeTable(first, loadAll);
  // A freeze must not wait for the disk on the night it is needed, so the rest loads soon after the start.
  const loading = setTimeout(routes.loadAhead, LOAD_AHEAD_MS);
  closers.add(() => clearTimeout(loading));
  const refused = new RefusedRequests(log);
  closers.add(() => refused.stop());
  const observed = observer(routes.find, { metrics, tracing, log, refused });
  const refusedKeys = new RefusedKeys(log);
  closers.add(() => refusedKeys.stop());
  const gates: Gatekeeping = {
    routes,
    authenticator: parts.authenticator,
    sessions: parts.people.sessions,
    clock: serviceClock.steady,
    addressOf: (request) => clientAddress(request.peer, request.header('x-forwarded-for'), config.trustProxy),
    ...entrance,
    rates: parts.rates,
    callerKnown: observed.callerKnown,
    isDebugging: observed.isDebugging,
    refusedKey: (code, address) => refusedKeys.count(code, address),
    failed: (error, context) => failedAnswer(error, context, log, outages),
    tracing,
  };
  void gates.opening?.then(() => {
    gates.opening = undefined;
  });
  return httpServer({
    clock,
    handle: requestHandler(gates),
    failed: gates.failed,
    finished: observed.finished,
  });
}
