import type { Answered } from '@writecheck/api/calls';
import { call } from '../api.ts';

export type KeyKind = 'live' | 'development';
export type ListedLimit = Answered<'GET /v1/limits'>['limits'][number];

export function listLimits(keyKind: KeyKind, signal: AbortSignal) {
  return call('GET /v1/limits', { query: { keyKind }, signal });
}

export function readLimit(id: string, keyKind: KeyKind, cursor: string, signal: AbortSignal) {
  return call('GET /v1/limits/{id}', {
    in: { id },
    query: { keyKind, cursor },
    signal,
  });
}

/** INVARIANT: the same wish with the same key gives back once, however often it is sent. */
export function giveBack(
  id: string,
  keyKind: KeyKind,
  key: string,
  correction: { readonly group: readonly string[]; readonly amount: string; readonly reason: string },
) {
  return call('POST /v1/limits/{id}/corrections', {
    in: { id },
    query: { keyKind },
    json: correction,
    headers: { 'idempotency-key': key },
  });
}
