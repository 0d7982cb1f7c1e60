/** What signing in needs besides people and their sessions. */
import type { WindowLimit } from '../../support/window-limit.ts';
import type { OidcParts } from './oidc/sign-in.ts';

export interface SignInParts {
  /** Requests of an address that has no key yet. */
  readonly limit: WindowLimit;
  /** Null if no identity provider is configured. */
  readonly oidc: OidcParts | null;
}
