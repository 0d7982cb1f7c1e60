/** Single sign-on: to the identity provider, back with its code, and into a session of the tab that began. */
import { SESSIONS } from '@writecheck/api';
import type { Answer } from '../../exchange/answer.ts';
import { answer, implement, type Open, routeOf } from '../../exchange/implement.ts';
import { problemAnswer } from '../../exchange/problem-answer.ts';
import { readQuery } from '../../exchange/read-json.ts';
import { type Refusal, refuse } from '../../exchange/refusal.ts';
import type { Call, OpenRoute, Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { escaped } from '../../support/escaped.ts';
import { finishOidc, type OidcParts, returnFromProvider, startSignIn } from './oidc/sign-in.ts';
import { admitBy, BEARER, signedIn, signingIn } from './sign-in-answers.ts';

const NOT_CONFIGURED = refuse(
  'not_found',
  'single sign-on is not set up on this service; sign in with a passkey or an owner key',
);

export function oidcRoutes(parts: ServiceParts): readonly Route[] {
  const admit = admitBy(parts);
  const led = (
    operation: Open,
    /** Where to lead the browser. */
    act: (oidc: OidcParts, query: URLSearchParams, nowMs: number) => Promise<string | Refusal>,
  ): Route =>
    routeOf<Open>(
      operation,
      async (call) => {
        const { people, signIn } = parts;
        const nowMs = people.clock.notBefore(call.context.nowMs);
        const { oidc } = signIn;
        const outcome = oidc === null ? NOT_CONFIGURED : await act(oidc, call.query, nowMs);
        return typeof outcome === 'string' ? redirect(outcome) : shownRefusal(call, outcome);
      },
      // A service without a provider is 404 whatever the query says.
      { admit },
    );
  return [
    // The sign-in page shows only the ways that work.
    implement(SESSIONS.listSignInWays, async () =>
      answer(SESSIONS.listSignInWays, 200, {
        ways: parts.signIn.oidc === null ? ['owner_key', 'passkey'] : ['owner_key', 'passkey', 'oidc'],
      }),
    ),
    led(SESSIONS.startOidcSignIn, async (oidc, query, nowMs) => {
      const read = readQuery(SESSIONS.startOidcSignIn.query, query);
      if (read.kind === 'refused') return read;
      return startSignIn(oidc, read.value.workspace, read.value.challenge, nowMs);
    }),
    led(SESSIONS.returnFromOidc, async (oidc, query, nowMs) => {
      const code = await returnFromProvider(oidc, query, nowMs);
      return typeof code === 'string' ? `${parts.people.publicUrl()}/#${code}` : code;
    }),
    onlyIfSetUp(
      parts,
      signingIn(parts)(SESSIONS.finishOidcSignIn, async ({ code, secret }, nowMs) =>
        signedIn(await finishOidc(parts.people, code, secret, nowMs)),
      ),
    ),
  ];
}

/** A missing route is 404, whatever the body says. */
function onlyIfSetUp({ signIn }: ServiceParts, route: OpenRoute): OpenRoute {
  return {
    ...route,
    handle: (call) =>
      signIn.oidc === null ? problemAnswer(call.context, NOT_CONFIGURED) : route.handle(call),
  };
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
