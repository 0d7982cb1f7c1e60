/** Single sign-on against a real provider: who gets in, who is refused, and what a broken provider stops. */
import { generateKeyPairSync, hash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { MINUTE_MS } from '@writecheck/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import type { Flags } from '../../src/support/config/load-config.ts';
import { ask } from '../ask.ts';
import { browse, CLIENT, startProvider } from '../oidc-kit.ts';
import { invite, member, post, signIn } from '../sign-in-kit.ts';
import { startTestService, type TestService } from '../start-service.ts';

const PUBLIC = 'https://writecheck.example.com/desk';
const CALLBACK = `${PUBLIC}/v1/sessions/oidc/callback`;

let nowMs = Date.now();
let provider: Awaited<ReturnType<typeof startProvider>>;
let service: TestService;

function serve(settings: Flags = {}): Promise<TestService> {
  return startTestService({
    clock: () => nowMs,
    settings: {
      publicUrl: PUBLIC,
      oidcIssuer: provider.issuer,
      oidcClientId: CLIENT.id,
      oidcClientSecret: CLIENT.secret,
      ...settings,
    },
  });
}

beforeAll(async () => {
  provider = await startProvider(CALLBACK);
  service = await serve();
});
afterAll(() => Promise.all([service.stop(), provider.stop()]));
beforeEach(() => {
  provider.forge(null);
  provider.breaks(false);
});

function newTab() {
  const secret = randomBytes(32).toString('base64url');
  return { secret, challenge: hash('sha256', secret, 'base64url') };
}

/** Unlike a browser, it follows no redirect. */
function get(pathAndQuery: string, headers: HeadersInit = {}) {
  return ask(service.url + pathAndQuery, { redirect: 'manual', headers });
}

function start(challenge: string, workspace = service.workspace) {
  return get(`/v1/sessions/oidc/start?${new URLSearchParams({ workspace, challenge })}`);
}

/** The path of our callback that the provider redirects to. */
async function backFrom(location: string): Promise<string> {
  const back = await browse(location, CALLBACK);
  return back.slice(PUBLIC.length);
}

function codeIn(location: string | null): string {
  expect(location).toMatch(/^https:\/\/writecheck\.example\.com\/desk\/#wck_oidc_[A-Za-z0-9_-]{43}$/);
  return location!.split('#')[1]!;
}

/**
 * Signs in as far as possible: the callback's response unless it is a redirect, otherwise the response that
 * finishes.
 */
async function signInAt(workspace = service.workspace, tab = newTab()) {
  const started = await start(tab.challenge, workspace);
  expect(started.status).toBe(302);
  const returned = await get(await backFrom(started.headers.get('location')!));
  if (returned.status !== 302) return returned;
  const code = codeIn(returned.headers.get('location'));
  return post(service, '/v1/sessions/oidc/finish', { code, secret: tab.secret });
}

async function invited(emailVerified: unknown = true) {
  const person = await invite(service);
  const sub = `sub-${person.email}`;
  provider.signInAs({ sub, email: person.email, emailVerified });
  return { ...person, sub };
}

describe('single sign-on', () => {
  test('lets an invited person in by their verified address, and later by issuer and subject', async () => {
    const { id, sub } = await invited();
    const first = await signInAt();
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ person: { id, state: 'active', signIn: ['oidc'] } });
    const me = await ask(`${service.url}/v1/me`, { key: first.body.session.token });
    expect(me.body.person.id).toBe(id);
    provider.signInAs({ sub, email: 'changed@example.com', emailVerified: false });
    expect((await signInAt()).body.person.id).toBe(id);
  });

  test('reads the userinfo endpoint if the token does not contain the address', async () => {
    provider.tellsOnlyAtUserinfo();
    const { id } = await invited();
    expect((await signInAt()).body.person.id).toBe(id);
  });

  test.each([false, null, 'true', 1])('refuses an address that is verified: %j', async (emailVerified) => {
    await invited(emailVerified);
    const reply = await signInAt();
    expect([reply.status, reply.body.error.code]).toEqual([403, 'not_a_member']);
  });

  test('refuses everybody else: uninvited, of another workspace, joined in another way, disabled', async () => {
    provider.signInAs({ sub: 'stranger', email: 'stranger@example.com', emailVerified: true });
    expect((await signInAt()).body.error.code).toBe('not_a_member');
    const { id } = await invited();
    expect((await signInAt('ws_01970000000070008000000000000009')).body.error.code).toBe('not_a_member');
    expect((await signInAt()).status).toBe(201);
    await ask(`${service.url}/v1/people/${id}`, { method: 'DELETE', key: service.ownerKey });
    expect((await signInAt()).body.error.code).toBe('not_a_member');
    const other = await invite(service, { email: 'passkey@example.com' });
    await ask(`${service.url}/v1/people/${other.id}`, { method: 'DELETE', key: service.ownerKey });
    provider.signInAs({ sub: 'taken-over', email: 'passkey@example.com', emailVerified: true });
    expect((await signInAt()).body.error.code).toBe('not_a_member');
  });

  test('does not replace somebody who signed in with another subject', async () => {
    const { email } = await invited();
    expect((await signInAt()).status).toBe(201);
    provider.signInAs({ sub: 'another-subject', email, emailVerified: true });
    expect((await signInAt()).body.error.code).toBe('not_a_member');
  });

  test('uses PKCE, state and nonce, and only our own public URL', async () => {
    const tab = newTab();
    const query = new URLSearchParams({ workspace: service.workspace, challenge: tab.challenge });
    const location = await new Promise<string>((resolve, reject) => {
      const headers = { host: 'evil.test', 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'http' };
      request(`${service.url}/v1/sessions/oidc/start?${query}`, { headers }, (response) => {
        response.resume();
        resolve(response.headers.location!);
      })
        .on('error', reject)
        .end();
    });
    const asked = new URL(location).searchParams;
    expect(asked.get('redirect_uri')).toBe(CALLBACK);
    expect(asked.get('code_challenge_method')).toBe('S256');
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked.get(name)).toMatch(/^[\w-]{43}$/);
    expect(asked.get('response_type')).toBe('code');
  });

  test('refuses a callback that is replayed, unknown, changed or late', async () => {
    await invited();
    const tab = newTab();
    const path = await backFrom((await start(tab.challenge)).headers.get('location')!);
    expect((await get(path)).status).toBe(302);
    const replayed = await get(path);
    expect([replayed.status, replayed.body.error.code]).toEqual([422, 'invalid_request']);
    const unknown = await get(`/v1/sessions/oidc/callback?code=x&state=${'A'.repeat(43)}`);
    expect(unknown.status).toBe(422);
    expect((await get('/v1/sessions/oidc/callback')).status).toBe(422);
    const other = await backFrom((await start(tab.challenge)).headers.get('location')!);
    const stolen = new URL(other, PUBLIC).searchParams.get('code')!;
    const mine = await start(newTab().challenge);
    const state = new URL(mine.headers.get('location')!).searchParams.get('state')!;
    const iss = encodeURIComponent(provider.issuer);
    // Another sign-in's code with my state: the provider refuses it for its PKCE challenge.
    const swapped = await get(`/v1/sessions/oidc/callback?code=${stolen}&state=${state}&iss=${iss}`);
    expect([swapped.status, swapped.body.error.code]).toEqual([401, 'invalid_key']);
    const late = await backFrom((await start(tab.challenge)).headers.get('location')!);
    nowMs += 10 * MINUTE_MS;
    expect((await get(late)).status).toBe(422);
  });

  test('gives the session once, to the tab that began', async () => {
    await invited();
    const victim = newTab();
    const attacker = newTab();
    const codeOf = async (tab: typeof victim) => {
      const path = await backFrom((await start(tab.challenge)).headers.get('location')!);
      return codeIn((await get(path)).headers.get('location'));
    };
    const finish = (code: string, secret: string) =>
      post(service, '/v1/sessions/oidc/finish', { code, secret });
    // Login CSRF: the attacker's code in the victim's tab.
    const planted = await codeOf(attacker);
    const refused = await finish(planted, victim.secret);
    expect([refused.status, refused.body.error.code]).toEqual([401, 'invalid_key']);
    expect((await finish(planted, attacker.secret)).status).toBe(401);
    const code = await codeOf(victim);
    expect((await finish(code, victim.secret)).status).toBe(201);
    expect((await finish(code, victim.secret)).status).toBe(401);
    const late = await codeOf(victim);
    nowMs += 5 * MINUTE_MS;
    expect((await finish(late, victim.secret)).status).toBe(401);
  });

  const seconds = () => Math.floor(Date.now() / 1_000);
  test.each<[string, (claims: object) => object]>([
    ['another nonce', (claims) => ({ ...claims, nonce: 'x'.repeat(43) })],
    ['no nonce', (claims) => ({ ...claims, nonce: undefined })],
    ['another audience', (claims) => ({ ...claims, aud: 'another client' })],
    ['several audiences and no client', (claims) => ({ ...claims, aud: [CLIENT.id, 'other'] })],
    [
      'several audiences and another client',
      (claims) => ({ ...claims, aud: [CLIENT.id, 'other'], azp: 'other' }),
    ],
    ['another client', (claims) => ({ ...claims, azp: 'other' })],
    ['another issuer', (claims) => ({ ...claims, iss: 'https://evil.test' })],
    ['a time long past', (claims) => ({ ...claims, exp: seconds() - 300 })],
    ['a subject that is no text', (claims) => ({ ...claims, sub: 'a\0b' })],
  ])('refuses a token with %s', async (_, change) => {
    await invited();
    provider.forge({ change: change as never });
    const reply = await signInAt();
    expect([reply.status, reply.body.error.code]).toEqual([401, 'invalid_key']);
  });

  test('accepts a token for several audiences that was issued to us', async () => {
    await invited();
    provider.forge({ change: (claims) => ({ ...claims, aud: [CLIENT.id, 'other'], azp: CLIENT.id }) });
    expect((await signInAt()).status).toBe(201);
  });

  test('tolerates clocks that differ by half a minute', async () => {
    await invited();
    provider.forge({ change: (claims) => ({ ...claims, exp: seconds() - 30, iat: seconds() - 60 }) });
    expect((await signInAt()).status).toBe(201);
    provider.forge({ change: (claims) => ({ ...claims, iat: seconds() + 30, exp: seconds() + 300 }) });
    expect((await signInAt()).status).toBe(201);
  });

  test('refuses a token of another key, and accepts a provider that rotated its keys', async () => {
    await invited();
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    provider.forge({ change: (claims) => claims, with: other });
    expect((await signInAt()).status).toBe(401);
    provider.forge(null);
    expect((await signInAt()).status).toBe(201);
    provider.rotateKeys();
    expect((await signInAt()).status).toBe(201);
    provider.rotateKeys();
    expect((await signInAt()).status).toBe(201);
  });

  test('says that the provider refused, as a page to a browser', async () => {
    provider.signInAs({ sub: '' });
    const path = await backFrom((await start(newTab().challenge)).headers.get('location')!);
    const reply = await get(path, { accept: 'text/html' });
    expect(reply.status).toBe(401);
    expect(reply.headers.get('content-type')).toContain('text/html');
    expect(reply.text).toContain('access_denied');
    expect(reply.text).toContain('#/sign-in');
  });

  test('refuses a start without a workspace or a proper challenge', async () => {
    const { challenge } = newTab();
    for (const query of [`challenge=${challenge}`, `workspace=w`, `workspace=w&challenge=short`, '']) {
      const reply = await get(`/v1/sessions/oidc/start?${query}`);
      expect([reply.status, reply.body.error.code]).toEqual([422, 'invalid_request']);
    }
  });
});

describe('a provider that is down', () => {
  test('stops single sign-on with a clear message, and nothing else', async () => {
    const lonely = await startTestService({
      settings: { oidcIssuer: 'http://127.0.0.1:9', oidcClientId: 'x', oidcClientSecret: 'y' },
    });
    try {
      const { challenge } = newTab();
      const query = new URLSearchParams({ workspace: lonely.workspace, challenge });
      const reply = await ask(`${lonely.url}/v1/sessions/oidc/start?${query}`, { redirect: 'manual' });
      expect([reply.status, reply.body.error.code]).toEqual([503, 'provider_unavailable']);
      expect(reply.headers.get('retry-after')).toBe('30');
      expect(reply.body.error.message).toContain('passkey');
      const person = await member(lonely);
      expect((await signIn(lonely, person.device)).reply.status).toBe(201);
      expect((await ask(`${lonely.url}/v1/me`, { key: lonely.ownerKey })).status).toBe(200);
      expect(lonely.logged()).toContain('a sign-in through the identity provider failed');
    } finally {
      await lonely.stop();
    }
  });

  test('is 503 at the callback too, and does not affect the next attempt', async () => {
    await invited();
    const tab = newTab();
    const path = await backFrom((await start(tab.challenge)).headers.get('location')!);
    provider.breaks(true);
    const reply = await get(path);
    expect([reply.status, reply.body.error.code]).toEqual([503, 'provider_unavailable']);
    provider.breaks(false);
    expect((await signInAt()).status).toBe(201);
  });

  test('is 404 if single sign-on is not set up', async () => {
    const plain = await startTestService();
    try {
      const { challenge } = newTab();
      const query = new URLSearchParams({ workspace: plain.workspace, challenge });
      expect((await ask(`${plain.url}/v1/sessions/oidc/start?${query}`)).status).toBe(404);
      const finish = await post(plain, '/v1/sessions/oidc/finish', { code: 'x', secret: 'y' });
      expect(finish.status).toBe(404);
      expect((await post(plain, '/v1/sessions/oidc/finish', {})).status).toBe(404);
    } finally {
      await plain.stop();
    }
  });
});

describe('single sign-on on PostgreSQL', () => {
  let server: TestServer;
  let onSqlite: TestService;
  beforeAll(async () => {
    server = await startTestServer();
    onSqlite = service;
    service = await serve({ databaseUrl: await server.newDatabase() });
  });
  afterAll(async () => {
    await service.stop();
    service = onSqlite;
    await server.remove();
  });

  test('lets an invited person in, once for each code, and nobody else', async () => {
    const { id, sub } = await invited();
    const tab = newTab();
    const returning = await backFrom((await start(tab.challenge)).headers.get('location')!);
    const returned = await Promise.all([get(returning), get(returning)]);
    expect(returned.map(({ status }) => status).toSorted()).toEqual([302, 422]);
    const code = codeIn(returned.find(({ status }) => status === 302)!.headers.get('location'));
    const finish = () => post(service, '/v1/sessions/oidc/finish', { code, secret: tab.secret });
    const finished = await Promise.all([finish(), finish()]);
    expect(finished.map(({ status }) => status).toSorted()).toEqual([201, 401]);
    const { token } = finished.find(({ status }) => status === 201)!.body.session;
    expect((await ask(`${service.url}/v1/me`, { key: token })).body.person).toMatchObject({
      id,
      signIn: ['oidc'],
    });
    provider.signInAs({ sub, email: 'changed@example.com', emailVerified: false });
    expect((await signInAt()).body.person.id).toBe(id);
    provider.signInAs({ sub: 'stranger', email: 'stranger@example.com', emailVerified: true });
    expect((await signInAt()).body.error.code).toBe('not_a_member');
  });

  test('ends with a reset and a disabling, and a new invitation lets the person in again', async () => {
    const { id } = await invited();
    expect((await signInAt()).status).toBe(201);
    const path = `${service.url}/v1/people/${id}`;
    await ask(path, { method: 'DELETE', key: service.ownerKey });
    expect((await signInAt()).body.error.code).toBe('not_a_member');
    await ask(`${path}/invitation`, { method: 'POST', key: service.ownerKey });
    expect((await signInAt()).body.person.id).toBe(id);
  });
});
