/** The credential of a request, before anybody looks it up. */
import { type EndedCode, SUSPENDED } from '@writecheck/store/port/acting';
import type { Actor } from './actor.ts';

export interface RefusedKey {
  readonly kind: 'refused';
  readonly code: 'missing_key' | EndedCode;
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

/** What a key is told whose request had begun when the key or its workspace ended. */
export function endedMessage(code: EndedCode, hint: string): string {
  switch (code) {
    case 'workspace_suspended':
      return SUSPENDED;
    case 'invalid_key':
      return 'the key is not known; check for a typo or create a new one';
    default:
      return revokedMessage(hint);
  }
}
