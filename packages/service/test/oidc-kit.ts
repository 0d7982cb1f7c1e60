/** A real identity provider in this process, and a browser that signs in with it. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';

export const CLIENT = { id: 'writecheck', secret: 'a secret of the provider' };

export interface Account {
  readonly sub: string;
  readonly email?: string;
  readonly emailVerified?: unknown;
}

interface SigningKey {
  readonly kid: string;
  readonly jwk: object;
  readonly key: KeyObject;
}

function newSigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const kid = randomBytes(4).toString('hex');
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' };
  return { kid, jwk, key: createPrivateKey({ key: privateKey.export({ format: 'jwk' }), format: 'jwk' }) };
}

type Claims = { readonly [name: string]: unknown };

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

export async function startProvider(redirectUri: string, port = 0) {
  let account: Account = { sub: 'nobody' };
  let signing = newSigningKey();
  /** Changes the claims of the next ID tokens; signed again, with the key of `with`. */
  let forge: { readonly change: (claims: Claims) => Claims; readonly with?: KeyObject } | null = null;
  let isBroken = false;
  /** Some providers return the address only at their userinfo endpoint. */
  let tellsInToken = true;
  let callback: ReturnType<Provider['callback']>;
  const server = createServer((request, response) => {
    if (!isBroken) return callback(request, response);
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const make = (): void => {
    const configuration: Configuration = {
      clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
      jwks: { keys: [signing.jwk as never] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      conformIdTokenClaims: !tellsInToken,
      pkce: { required: () => true },
      cookies: { keys: ['for tests'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, sub) => ({
        accountId: sub,
        claims: () => ({ sub, email: account.email, email_verified: account.emailVerified as boolean }),
      }),
      loadExistingGrant: async (context) => {
        const grant = new context.oidc.provider.Grant({
          clientId: CLIENT.id,
          accountId: context.oidc.session!.accountId!,
        });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    };
    const provider = new Provider(issuer, configuration);
    provider.use(async (context, next) => {
      if (context.path.startsWith('/interaction/')) {
        const result =
          account.sub === '' ? { error: 'access_denied' } : { login: { accountId: account.sub } };
        await provider.interactionFinished(context.req, context.res, result);
        context.respond = false;
        return;
      }
      await next();
      const tokens = context.body as { id_token?: string } | undefined;
      if (context.path !== '/token' || forge === null || tokens?.id_token === undefined) return;
      const [header = '', claims = ''] = tokens.id_token.split('.');
      const changed = forge.change(JSON.parse(Buffer.from(claims, 'base64url').toString()));
      const signed = `${header}.${base64url(changed)}`;
      const signature = sign('sha256', Buffer.from(signed), forge.with ?? signing.key).toString('base64url');
      context.body = { ...tokens, id_token: `${signed}.${signature}` };
    });
    callback = provider.callback();
  };
  make();

  return {
    issuer,
    signInAs(next: Account) {
      account = next;
    },
    tellsOnlyAtUserinfo() {
      tellsInToken = false;
      make();
    },
    rotateKeys() {
      signing = newSigningKey();
      make();
    },
    forge(next: typeof forge) {
      forge = next;
    },
    breaks(value: boolean) {
      isBroken = value;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Follows the provider's redirects with its cookies, until one leads back to `redirectUri`. */
export async function browse(url: string, redirectUri: string): Promise<string> {
  const cookies = new Map<string, string>();
  let at = url;
  for (let step = 0; step < 10; step += 1) {
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${at} answered ${response.status}: ${await response.text()}`);
    at = new URL(location, at).href;
    if (at.startsWith(redirectUri)) return at;
  }
  throw new Error('the provider redirects in circles');
}
