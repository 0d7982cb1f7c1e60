/** Single sign-on: to the identity provider, back with its code, and into a session of the tab that began. */

import { type Answer, json } from '../../answer.ts';
import { bodyOf, type Field, name } from '../../fields/body-fields.ts';
import { finishOidc, type OidcParts, returnFromProvider, startSignIn } from '../../people/oidc/sign-in.ts';
import { problemAnswer } from '../../problem-answer.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import { readQuery } from '../read-json.ts';
import type { Call, Described, OpenRoute, Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { admitBy, BEARER, SIGNED_IN, signedIn, signingIn } from './sign-in-answers.ts';

const CHALLENGE = '^[A-Za-z0-9_-]{43}$';
const challenge: Field<string> = {
  schema: { type: 'string', pattern: CHALLENGE },
  isRequired: true,
  read: (value) =>
    typeof value === 'string' && /^[A-Za-z0-9_-]{43}$/.test(value)
      ? { value }
      : { fault: 'must be the base64url SHA-256 of a secret of this tab' },
};
const START = bodyOf({ workspace: name, challenge });
const FINISH = bodyOf({ code: name, secret: name });

const NOT_CONFIGURED = refuse(
  'not_found',
  'single sign-on is not set up on this service; sign in with a passkey or an owner key',
);

export function oidcRoutes(parts: ServiceParts): readonly Route[] {
  const admit = admitBy(parts);
  const led = (
    path: string,
    described: Described,
    act: (oidc: OidcParts, query: URLSearchParams, nowMs: number) => Promise<Led | Refusal>,
  ): Route => ({
    method: 'GET',
    path,
    access: 'open',
    admit,
    described,
    handle: async (call) => {
      const { people, signIn } = parts;
      const nowMs = people.clock.notBefore(call.context.nowMs);
      const { oidc } = signIn;
      const outcome = oidc === null ? NOT_CONFIGURED : await act(oidc, call.query, nowMs);
      return outcome.kind === 'refused' ? shownRefusal(call, outcome) : redirect(outcome.url);
    },
  });
  return [
    waysRoute(parts),
    led(
      '/v1/sessions/oidc/start',
      {
        operationId: 'startOidcSignIn',
        summary: 'sign in through the identity provider: redirects the browser to it',
        query: {
          workspace: { description: 'the workspace to sign in to', schema: START.members.workspace! },
          challenge: {
            description: 'base64url SHA-256 of a secret that only this tab knows',
            schema: START.members.challenge!,
          },
        },
        success: { 302: { description: 'to the identity provider', schema: null } },
        errors: ['not_found', 'invalid_request', 'rate_limited', 'provider_unavailable'],
      },
      async (oidc, query, nowMs) => {
        const read = readQuery(START, query);
        if (read.kind === 'refused') return read;
        return startSignIn(oidc, read.value.workspace, read.value.challenge, nowMs);
      },
    ),
    led(
      '/v1/sessions/oidc/callback',
      {
        operationId: 'returnFromOidc',
        summary: 'where the identity provider sends the browser back to',
        success: { 302: { description: 'to the console, with a one-time code after `#`', schema: null } },
        errors: ['not_found', 'invalid_request', 'invalid_key', 'rate_limited', 'provider_unavailable'],
      },
      async (oidc, query, nowMs) => {
        const returned = await returnFromProvider(oidc, query, nowMs);
        if (returned.kind === 'refused') return returned;
        return { kind: 'redirect', url: `${parts.people.publicUrl()}/#${returned.code}` };
      },
    ),
    onlyIfSetUp(
      parts,
      signingIn(parts)('/v1/sessions/oidc/finish', FINISH, {
        operationId: 'finishOidcSignIn',
        summary: 'exchange the one-time code for a session, with the secret of the tab that began',
        success: SIGNED_IN,
        errors: ['not_found', 'invalid_key', 'not_a_member'],
        handle: async ({ code, secret }, nowMs) =>
          signedIn(await finishOidc(parts.people, code, secret, nowMs)),
      }),
    ),
  ];
}

/** For a sign-in page, which shows no way that does not work. */
function waysRoute({ signIn }: ServiceParts): Route {
  return {
    method: 'GET',
    path: '/v1/sessions/ways',
    access: 'open',
    described: {
      operationId: 'listSignInWays',
      summary: 'the ways to sign in that this service offers',
      success: { 200: { description: '`oidc` only if an identity provider is set up', schema: WAYS } },
      errors: [],
    },
    handle: async () => json(200, { ways: signIn.oidc === null ? ALWAYS : [...ALWAYS, 'oidc'] }),
  };
}

const ALWAYS = ['owner_key', 'passkey'];
const WAYS = {
  type: 'object',
  properties: { ways: { type: 'array', items: { enum: [...ALWAYS, 'oidc'] } } },
  required: ['ways'],
};

/** A route that is not there is 404 whatever the body says. */
function onlyIfSetUp({ signIn }: ServiceParts, route: OpenRoute): OpenRoute {
  return {
    ...route,
    handle: (call) =>
      signIn.oidc === null ? problemAnswer(call.context, NOT_CONFIGURED) : route.handle(call),
  };
}

interface Led {
  readonly kind: 'redirect';
  readonly url: string;
}

const NOT_KEPT = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

function redirect(location: string): Answer {
  return { status: 302, headers: { ...NOT_KEPT, location }, body: null };
}

const PAGE_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** A person whose browser was led here reads a sentence; a program reads the problem. */
function shownRefusal({ context, request }: Call, refusal: Refusal): Answer {
  const problem = problemAnswer(context, refusal, {
    ...NOT_KEPT,
    ...(refusal.code === 'invalid_key' && BEARER),
  });
  if (!(request.header('accept') ?? '').includes('text/html')) return problem;
  const headers = {
    ...problem.headers,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': PAGE_POLICY,
  };
  const body =
    '<!doctype html><html lang="en"><title>Not signed in · Writecheck</title>' +
    `<p>You are not signed in: ${escaped(refusal.message)}.</p><p><a href="../../../#/sign-in">Sign in again</a></p>`;
  return { ...problem, headers, body };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
