/** The calls that list, read and count decisions. */
import type { Answered, Queried } from '@writecheck/api/calls';
import { call, type Reply } from '../api.ts';
import { startOf, type TimeRange } from '../components/decision/time-range.ts';
import { serviceNowMs } from '../state/service-clock.ts';

type DecisionPage = Answered<'GET /v1/decisions'>;

/** Empty values are not sent. */
export interface DecisionQuery extends Queried<'GET /v1/decisions'> {
  /** Instead of `from`: a range that ends at the service's current time. */
  readonly lately?: TimeRange;
}

export async function listDecisions(
  { lately, ...asked }: DecisionQuery,
  signal: AbortSignal,
): Promise<Reply<DecisionPage>> {
  const from = lately && { from: new Date(startOf(lately, await nowThere(signal))).toISOString() };
  const query = { ...asked, ...from };
  return call('GET /v1/decisions', { query, signal });
}

/** The service's current time. */
export function nowThere(signal: AbortSignal): Promise<number> {
  return serviceNowMs(() => call('GET /healthz', { signal, key: null }));
}

export function countDecisions(query: Queried<'GET /v1/decisions/counts'>, signal: AbortSignal) {
  return call('GET /v1/decisions/counts', { query, signal });
}

export function readDecision(id: string, signal: AbortSignal) {
  return call('GET /v1/decisions/{id}', { in: { id }, signal });
}
