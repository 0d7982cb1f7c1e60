/** The calls behind "Try it on the last 30 days" and "Enforce". */
import type { Answered, Sent } from '@writecheck/api/calls';
import { call, type Reply } from '../api.ts';
import { ifMatch } from './policies.ts';

export type RunAndReport = Answered<'GET /v1/policies/impact/{id}'>;

export function startRun(documents: readonly unknown[]) {
  return call('POST /v1/policies/impact', { json: { documents } });
}

export function readRun(id: string) {
  return call('GET /v1/policies/impact/{id}', { in: { id } });
}

export function cancelRun(id: string) {
  return call('DELETE /v1/policies/impact/{id}', { in: { id } });
}

/** How an observing profile has done so far; `ifMatch` is the digest of the bundle that was assessed. */
export type Assessed = Answered<'POST /v1/policies/promotions'>;

/** Long enough to replay 90 days of a busy workspace. */
const ASSESS_MS = 300_000;

/** The service stops a run whose caller leaves, so that the next one can start. */
export function assess(profile: string, signal?: AbortSignal): Promise<Reply<Assessed>> {
  return promote({ profile }, null, signal);
}

/** Over the bundle that was assessed, and no other. */
export function enforce(
  profile: string,
  over: string,
  options: { readonly force: boolean; readonly confirmLoosening: boolean },
): Promise<Reply<Assessed>> {
  return promote({ profile, apply: true, ...options }, over);
}

function promote(
  json: Sent<'POST /v1/policies/promotions'>,
  over: string | null,
  signal?: AbortSignal,
): Promise<Reply<Assessed>> {
  return call('POST /v1/policies/promotions', {
    json,
    headers: ifMatch(over),
    ...(signal && { signal }),
    timeoutMs: ASSESS_MS,
  });
}
