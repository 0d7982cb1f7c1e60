/** The calls that the key pages make. */
import type { Key } from '@writecheck/api';
import type { Sent } from '@writecheck/api/calls';
import { call } from '../api.ts';

export function listKeys(signal: AbortSignal) {
  return call('GET /v1/keys', { signal });
}

export function makeKey(wish: Sent<'POST /v1/keys'>) {
  return call('POST /v1/keys', { json: wish });
}

export function rotateKey(id: string, graceSeconds: number) {
  return call('POST /v1/keys/{id}/rotate', { in: { id }, json: { graceSeconds } });
}

export function revokeKey(id: string) {
  return call('DELETE /v1/keys/{id}', { in: { id } });
}

/** Whether this session uses the key, judging by its hint. */
export function isOwnKey(key: Key, ownSecret: string): boolean {
  const prefix = /^wck_[a-z]+_/.exec(ownSecret)?.[0] ?? '';
  return key.kind === 'owner' && key.hint.startsWith(prefix) && key.hint.endsWith(ownSecret.slice(-4));
}

export function stateOf(key: Key, nowMs: number): 'usable' | 'expired' | 'revoked' {
  if (key.revokedAt !== null) return 'revoked';
  return key.expiresAt !== null && Date.parse(key.expiresAt) <= nowMs ? 'expired' : 'usable';
}
