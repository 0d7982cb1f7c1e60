/** Single sign-on as the settings describe it. */
import type { Config } from '../../../support/config/settings.ts';
import type { Log } from '../../../support/observability/log.ts';
import type { PeopleParts } from '../people-parts.ts';
import type { OidcParts } from './sign-in.ts';

/** Null if no identity provider is configured. The service contacts it only when somebody signs in. */
export async function openOidc(
  { oidcIssuer, oidcClientId, oidcClientSecret }: Config,
  people: PeopleParts,
  log: Log,
): Promise<OidcParts | null> {
  if (oidcIssuer === null || oidcClientId === null || oidcClientSecret === null) return null;
  // Few services use it, so the others start without its library.
  const { Provider } = await import('./provider.ts');
  const provider = new Provider({
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: oidcClientSecret,
  });
  return {
    people,
    provider,
    failed: ({ kind, reason }) =>
      log.warn({ kind, reason }, 'a sign-in through the identity provider failed'),
  };
}
