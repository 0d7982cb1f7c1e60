/** The calls that the key pages make. */
import { call, type Outcome } from '../../api.ts';

export type KeyKind = 'development' | 'live' | 'owner';

export interface Key {
  readonly id: string;
  readonly kind: KeyKind;
  readonly name: string;
  /** Its prefix and last characters. */
  readonly hint: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
  readonly allowedSystems: readonly string[] | null;
  readonly allowedWorkflows: readonly string[] | null;
  /** The person who made it; null for an owner key. */
  readonly madeBy?: string | null;
  /** Absent if nobody revoked it, or nobody recorded who did. */
  readonly revokedBy?: { readonly kind: 'person' | 'owner_key'; readonly id: string };
}

export interface IssuedKey {
  readonly key: Key;
  readonly secret: string;
}

export interface NewKey {
  readonly kind: KeyKind;
  readonly name: string;
  readonly expiresAt?: string;
  readonly allowedSystems?: readonly string[];
  readonly allowedWorkflows?: readonly string[];
}

export function listKeys(signal: AbortSignal): Promise<Outcome<{ readonly keys: readonly Key[] }>> {
  return call('GET', '/v1/keys', { signal, has: { keys: 'array' } });
}

export function makeKey(wish: NewKey): Promise<Outcome<IssuedKey>> {
  return call('POST', '/v1/keys', { json: wish, has: { key: 'object', secret: 'string' } });
}

export function rotateKey(id: string, graceSeconds: number): Promise<Outcome<IssuedKey>> {
  return call('POST', `/v1/keys/${encodeURIComponent(id)}/rotate`, {
    json: { graceSeconds },
    has: { key: 'object', secret: 'string' },
  });
}

export function revokeKey(id: string): Promise<Outcome<null>> {
  return call('DELETE', `/v1/keys/${encodeURIComponent(id)}`);
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
