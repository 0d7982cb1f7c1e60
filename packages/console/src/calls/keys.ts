/** Keys: how to list them, whose they are, and whether they still work. */
import type { Key } from '@writecheck/api';
import { DAY_MS } from '@writecheck/contract';
import { call } from '../api.ts';

export function listKeys(signal: AbortSignal) {
  return call('GET /v1/keys', { signal });
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

const SOON_MS = 14 * DAY_MS;

/** Whether the key needs a replacement. A key made for less than a day, such as the playground's, is meant to end. */
export function expiresSoon(key: Key, nowMs: number): boolean {
  if (key.expiresAt === null || stateOf(key, nowMs) !== 'usable') return false;
  const endMs = Date.parse(key.expiresAt);
  return endMs - nowMs < SOON_MS && endMs - Date.parse(key.createdAt) >= DAY_MS;
}
