/** The calls that the decision pages make. */
import type { Decision, DecisionResponse } from '@writecheck/contract';
import { callAs, type Outcome } from '../../api.ts';
import { noteServiceTime, serviceNowMs } from '../../state/service-clock.ts';
import { startOf, type TimeRange } from './time-range.ts';

export interface DecisionSummary {
  readonly decision_id: string;
  readonly keyId: string;
  readonly timestamp: string;
  readonly decision: Decision;
  readonly evaluatedDecision: Decision;
  readonly reason_code: string;
  readonly system: string;
  readonly objectType: string | null;
  readonly objectRef: string | null;
  readonly field: string | null;
  readonly operation: string | null;
  readonly workflowId: string | null;
  readonly runId: string | null;
}

export interface DecisionPage {
  readonly decisions: readonly DecisionSummary[];
  readonly nextCursor: string | null;
}

/** Names match the query parameters; empty values are not sent. */
export interface DecisionQuery {
  readonly decision?: string;
  readonly reason_code?: string;
  readonly system?: string;
  readonly objectRef?: string;
  readonly workflowId?: string;
  readonly runId?: string;
  readonly keyId?: string;
  readonly from?: string;
  readonly to?: string;
  /** Instead of `from`: a range that ends at the service's current time. */
  readonly lately?: TimeRange;
  readonly warn?: 'true';
  readonly limit?: string;
  readonly cursor?: string;
}

export async function listDecisions(
  query: DecisionQuery,
  signal: AbortSignal,
): Promise<Outcome<DecisionPage>> {
  const { lately, ...asked } = query;
  const from = lately && { from: new Date(startOf(lately, await nowThere(signal))).toISOString() };
  const path = `/v1/decisions${searchOf({ ...asked, ...from })}`;
  return timed(await callAs('GET', path, { signal, has: { decisions: 'array' } }));
}

/** The service's current time. */
export function nowThere(signal: AbortSignal): Promise<number> {
  return serviceNowMs(async () => {
    timed(await callAs('GET', '/healthz', { signal, key: null }));
  });
}

function timed<T>(outcome: Outcome<T>): Outcome<T> {
  if (outcome.kind === 'success') noteServiceTime(outcome.headers);
  return outcome;
}

export interface Count {
  readonly from: string;
  readonly allow: number;
  readonly pause: number;
  readonly block: number;
  readonly warn: number;
}

export function countDecisions(
  query: { readonly from: string; readonly to: string; readonly step: 'hour' | 'day' },
  signal: AbortSignal,
): Promise<Outcome<{ readonly counts: readonly Count[] }>> {
  return callAs('GET', `/v1/decisions/counts${searchOf(query)}`, { signal, has: { counts: 'array' } });
}

export interface DecisionDetail {
  readonly decision_id: string;
  readonly audit_id: string;
  readonly keyId: string;
  readonly timestamp: string;
  readonly intent: { readonly [member: string]: unknown };
  readonly response: DecisionResponse;
}

export function readDecision(id: string, signal: AbortSignal): Promise<Outcome<DecisionDetail>> {
  return callAs('GET', `/v1/decisions/${encodeURIComponent(id)}`, {
    signal,
    has: { intent: 'object', response: 'object' },
  });
}

function searchOf(query: object): string {
  const filled = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return filled.length === 0 ? '' : `?${new URLSearchParams(filled)}`;
}
