/** The calls that the pages about freezes make. */
import type { Freeze } from '@writecheck/api';
import type { Answered, Sent } from '@writecheck/api/calls';
import { call, type Reply } from '../api.ts';

type One = { readonly freeze: Freeze };
const ONE = { freeze: 'object' } as const;

/** INVARIANT: the same wish with the same key freezes once, however often it is sent. */
export function createFreeze(wish: Sent<'POST /v1/freezes'>, key: string): Promise<Reply<One>> {
  return call('POST /v1/freezes', { json: wish, headers: { 'idempotency-key': key }, has: ONE });
}

export function liftFreeze(id: string, reason: string): Promise<Reply<One>> {
  return call('POST /v1/freezes/{id}/lift', { in: { id }, json: { reason }, has: ONE });
}

export function liftAllBy(
  createdBy: Freeze['createdBy'],
  reason: string,
): Promise<Reply<Answered<'POST /v1/freezes/lift'>>> {
  return call('POST /v1/freezes/lift', { json: { createdBy, reason }, has: { freezes: 'array' } });
}

export function listFreezes(
  cursor: string,
  signal: AbortSignal,
): Promise<Reply<Answered<'GET /v1/freezes'>>> {
  return call('GET /v1/freezes', { query: { state: 'all', cursor }, signal, has: { freezes: 'array' } });
}

export function readFreeze(
  id: string,
  signal: AbortSignal,
): Promise<Reply<Answered<'GET /v1/freezes/{id}'>>> {
  return call('GET /v1/freezes/{id}', {
    in: { id },
    signal,
    has: { freeze: 'object', allowsBefore: 'object' },
  });
}
