/** A change that caches above the store must follow, whichever process made it. */
export type Change =
  /** A key was revoked or rotated, or got another expiry. */
  | { readonly kind: 'key'; readonly workspace: string; readonly keyId: string }
  | { readonly kind: 'policy'; readonly workspace: string }
  /** Anything happened to a person, or one of their sessions was ended. */
  | { readonly kind: 'person'; readonly workspace: string; readonly personId: string }
  /** It was suspended, resumed, deleted or granted live keys. */
  | { readonly kind: 'workspace'; readonly workspace: string }
  /** More changed than was tracked, or the store was unreachable: drop everything cached. */
  | { readonly kind: 'everything' };
