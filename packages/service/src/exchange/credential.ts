/** The credential of a request, before anybody looks it up. */
import type { Actor } from './actor.ts';

export interface RefusedKey {
  readonly kind: 'refused';
  readonly code: 'missing_key' | 'invalid_key' | 'key_revoked' | 'key_expired';
  readonly message: string;
  /** Whose it was, for the log; omitted if unknown. */
  readonly actor?: Pick<Actor, 'workspace' | 'id'>;
}

/** What to do about a key that is no longer accepted. */
export const ASK_FOR_A_NEW_ONE = 'ask an owner of the workspace for a new one';

export function revokedMessage(hint: string): string {
  return `the key \`${hint}\` was revoked; ${ASK_FOR_A_NEW_ONE}`;
}

/** The content of an `Authorization` header: the digest of a secret that may be a key, or why it cannot be one. */
export type Credential =
  | { readonly kind: 'secret'; readonly digest: string }
  | { readonly kind: 'session'; readonly digest: string }
  | RefusedKey;
