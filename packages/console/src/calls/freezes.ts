/** The calls that the pages about freezes make. */
import type { Sent } from '@writecheck/api/calls';
import { call } from '../api.ts';

/** INVARIANT: the same wish with the same key freezes once, however often it is sent. */
export function createFreeze(wish: Sent<'POST /v1/freezes'>, key: string) {
  return call('POST /v1/freezes', { json: wish, headers: { 'idempotency-key': key } });
}

export function readFreeze(id: string, signal: AbortSignal) {
  return call('GET /v1/freezes/{id}', { in: { id }, signal });
}
