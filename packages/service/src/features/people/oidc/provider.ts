/** Talks to the identity provider: where to send a browser, and who the provider says signed in. */
import * as oidc from 'openid-client';

interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The secrets of one sign-in, which must come back unchanged. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** Null unless the provider says that it verified the address. */
  readonly verifiedEmail: string | null;
}

export type ProviderFailure =
  /** The provider cannot be reached or is broken. */
  | { readonly kind: 'unavailable'; readonly reason: string }
  /** The provider refused, or what it sent does not verify. */
  | { readonly kind: 'not_signed_in'; readonly reason: string };

const DISCOVERED_FOR_MS = 10 * 60_000;
const TIMEOUT_S = 10;
/** How far the clocks of provider and service may differ. */
const SKEW_S = 60;
const SCOPE = 'openid email profile';

export class Provider {
  readonly #settings: OidcSettings;
  /** A promise, so that sign-ins that begin together ask the provider once. */
  #discovered: { readonly server: Promise<oidc.ServerMetadata>; readonly atMs: number } | null = null;

  constructor(settings: OidcSettings) {
    this.#settings = settings;
  }

  /** Where to send the browser. */
  async authorizationUrl(secrets: SignInSecrets, redirectUri: string): Promise<string | ProviderFailure> {
    const found = await this.#configuration();
    if (found.kind !== 'found') return found;
    const url = oidc.buildAuthorizationUrl(found.configuration, {
      redirect_uri: redirectUri,
      scope: SCOPE,
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(secrets.verifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /** Exchanges the code that came back. `returned` is our callback with its query, under our own public URL. */
  async identityOf(
    returned: URL,
    secrets: SignInSecrets,
  ): Promise<{ readonly kind: 'identity'; readonly identity: Identity } | ProviderFailure> {
    const found = await this.#configuration();
    if (found.kind !== 'found') return found;
    try {
      return { kind: 'identity', identity: await exchange(found.configuration, returned, secrets) };
    } catch (error) {
      return failureOf(error);
    }
  }

  /**
   * Each sign-in has a configuration of its own, because a configuration caches the provider's public keys for minutes:
   * a new key counts immediately, and a withdrawn key immediately stops counting.
   */
  async #configuration(): Promise<
    { readonly kind: 'found'; readonly configuration: oidc.Configuration } | ProviderFailure
  > {
    const { clientId, clientSecret } = this.#settings;
    let server: oidc.ServerMetadata;
    try {
      server = await this.#metadata();
    } catch (error) {
      // Nobody has signed in yet, so any failure is the provider's.
      return { kind: 'unavailable', reason: failureOf(error).reason };
    }
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authentication = methods.includes('client_secret_basic')
      ? oidc.ClientSecretBasic(clientSecret)
      : oidc.ClientSecretPost(clientSecret);
    const client = { [oidc.clockTolerance]: SKEW_S };
    const configuration = new oidc.Configuration(server, clientId, client, authentication);
    configuration.timeout = TIMEOUT_S;
    oidc.enableNonRepudiationChecks(configuration);
    if (this.#isPlain) oidc.allowInsecureRequests(configuration);
    return { kind: 'found', configuration };
  }

  #metadata(): Promise<oidc.ServerMetadata> {
    const nowMs = performance.now();
    if (this.#discovered !== null && nowMs - this.#discovered.atMs < DISCOVERED_FOR_MS)
      return this.#discovered.server;
    const discovered = { server: this.#discover(), atMs: nowMs };
    this.#discovered = discovered;
    discovered.server.catch(() => {
      if (this.#discovered === discovered) this.#discovered = null;
    });
    return discovered.server;
  }

  async #discover(): Promise<oidc.ServerMetadata> {
    const { issuer, clientId } = this.#settings;
    const found = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), {
      timeout: TIMEOUT_S,
      execute: this.#isPlain ? [oidc.allowInsecureRequests] : [],
    });
    // Keeps only the metadata: the configuration would keep the provider's keys too.
    const { supportsPKCE: _, ...server } = found.serverMetadata();
    return server;
  }

  /** The setting accepts http only for the machine itself. */
  get #isPlain(): boolean {
    return this.#settings.issuer.startsWith('http:');
  }
}

/** OpenID Connect Core, section 2. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;
const ADDRESS = /^[^\p{C}]{1,320}$/u;

async function exchange(
  configuration: oidc.Configuration,
  returned: URL,
  secrets: SignInSecrets,
): Promise<Identity> {
  const tokens = await oidc.authorizationCodeGrant(configuration, returned, {
    pkceCodeVerifier: secrets.verifier,
    expectedState: secrets.state,
    expectedNonce: secrets.nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims()!;
  // The library checks it only if there are several audiences.
  const { client_id: clientId } = configuration.clientMetadata();
  if (claims.azp !== undefined && claims.azp !== clientId)
    throw new Error('the provider issued the token to another client (`azp`)');
  // Some providers report the address only there.
  const asksMore =
    claims.email_verified === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
  const { email, email_verified: isVerified } = asksMore
    ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
    : claims;
  if (!SUBJECT.test(claims.sub)) throw new Error('the provider sent a `sub` that is not valid');
  const isAddress = typeof email === 'string' && ADDRESS.test(email);
  const verifiedEmail = isVerified === true && isAddress ? email : null;
  return { issuer: claims.iss, subject: claims.sub, verifiedEmail };
}

const SERVER_ERROR = 500;
/** Codes of the library that mean we never got a proper response. */
const BROKEN: ReadonlySet<string> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
]);

function failureOf(error: unknown): ProviderFailure {
  const { message, code, cause } = error as { message: string; code?: string; cause?: unknown };
  if (error instanceof oidc.AuthorizationResponseError) {
    return { kind: 'not_signed_in', reason: `the provider answered \`${error.error}\`` };
  }
  if (error instanceof oidc.ResponseBodyError) {
    const kind = error.status >= SERVER_ERROR ? 'unavailable' : 'not_signed_in';
    return { kind, reason: `the provider answered \`${error.error}\`` };
  }
  const status = cause instanceof Response ? cause.status : null;
  // `fetch` throws a TypeError for a connection that fails.
  const isBroken = error instanceof TypeError || (code !== undefined && BROKEN.has(code));
  if (isBroken || (status !== null && status >= SERVER_ERROR)) {
    return { kind: 'unavailable', reason: status === null ? message : `${message} (status ${status})` };
  }
  return { kind: 'not_signed_in', reason: message };
}
