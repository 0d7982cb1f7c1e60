/** Signing in, who is signed in, and signing out. */
import { isObject } from '@writecheck/contract';
import { bodyOf, choice, type Field, name } from './fields.ts';
import { WORKSPACE } from './keys.ts';
import { BODY_ERRORS, CLOCK_ERRORS, operations } from './operation.ts';
import { PERSON, PERSON_ROLES } from './people.ts';
import { described, list, nullable, object, shape, type TypeOf, text, time } from './shape.ts';

const WEBAUTHN = 'in the JSON form that WebAuthn level 3 defines';

/** The authenticator decides what is inside; verification judges it. */
const credential: Field<object> = {
  schema: { type: 'object', description: `what the browser returned, ${WEBAUTHN}` },
  isRequired: true,
  read: (value) =>
    isObject(value) ? { value } : { fault: 'must be an object, as `toJSON()` of the credential gives it' },
};
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const challenge: Field<string> = {
  schema: { type: 'string', pattern: CHALLENGE.source },
  isRequired: true,
  read: (value) =>
    typeof value === 'string' && CHALLENGE.test(value)
      ? { value }
      : { fault: 'must be the base64url SHA-256 of a secret of this tab' },
};

const options = described(WEBAUTHN, shape<object>({ type: 'object' }));
const OPTIONS = object({ options });
/** A holder of the token can become this person, so it says what that gives; they learn later who invited them. */
const INVITED = object({
  options,
  invitation: described(
    'what accepting it gives',
    object({ workspace: described('its name', text), name: text, roles: PERSON_ROLES }),
  ),
});
const SIGNED_IN = object({ session: object({ token: text, expiresAt: time }), person: PERSON });
const ME = object({
  person: nullable(PERSON),
  workspace: WORKSPACE,
  session: nullable(object({ expiresAt: time })),
});

/** The response to every kind of sign-in. */
export type SignedIn = TypeOf<typeof SIGNED_IN>;
export type Me = TypeOf<typeof ME>;

const ERRORS = [...BODY_ERRORS, 'rate_limited', ...CLOCK_ERRORS] as const;
const BROWSER_OPTIONS = { 200: ['what to pass to the browser', OPTIONS] } as const;
const ENTERED = { 201: ['the session, whose token is shown once, and the person', SIGNED_IN] } as const;

export const SESSIONS = operations({
  readMe: {
    route: 'GET /v1/me',
    access: 'managing',
    summary: 'who is signed in, and to which workspace; person and session are null for a key',
    answers: { 200: ['the person, workspace and session', ME] },
    errors: [],
  },
  signOut: {
    route: 'DELETE /v1/sessions/current',
    access: 'person',
    summary: 'sign out: the session ends everywhere within a second',
    answers: { 204: ['ended', null] },
    errors: [],
  },
  beginInvitation: {
    route: 'POST /v1/invitations/begin',
    access: 'open',
    summary: 'accept an invitation: the options for making a passkey',
    body: bodyOf({ token: name }),
    answers: { 200: ['what to pass to the browser, and what accepting gives', INVITED] },
    errors: [...ERRORS, 'not_found'],
  },
  finishInvitation: {
    route: 'POST /v1/invitations/finish',
    access: 'open',
    summary: 'accept an invitation: register the passkey, which spends the invitation',
    body: bodyOf({ token: name, credential }),
    answers: ENTERED,
    errors: [...ERRORS, 'not_found', 'assertion_invalid'],
  },
  beginPasskeySignIn: {
    route: 'POST /v1/sessions/passkey/begin',
    access: 'open',
    summary: 'sign in with a passkey: the options for the browser',
    body: bodyOf({}),
    answers: BROWSER_OPTIONS,
    errors: ERRORS,
  },
  finishPasskeySignIn: {
    route: 'POST /v1/sessions/passkey/finish',
    access: 'open',
    summary: 'sign in with a passkey',
    body: bodyOf({ credential }),
    answers: ENTERED,
    errors: [...ERRORS, 'invalid_key'],
  },
  listSignInWays: {
    route: 'GET /v1/sessions/ways',
    access: 'open',
    summary: 'the ways to sign in that this service offers',
    answers: {
      200: [
        '`oidc` only if an identity provider is set up',
        object({ ways: list(choice('owner_key', 'passkey', 'oidc')) }),
      ],
    },
    errors: [],
  },
  startOidcSignIn: {
    route: 'GET /v1/sessions/oidc/start',
    access: 'open',
    summary: 'sign in through the identity provider: redirects the browser to it',
    query: bodyOf({
      workspace: described('the workspace to sign in to', name),
      challenge: described('base64url SHA-256 of a secret that only this tab knows', challenge),
    }),
    answers: { 302: ['to the identity provider', null] },
    errors: ['not_found', 'invalid_request', 'rate_limited', 'provider_unavailable'],
  },
  returnFromOidc: {
    route: 'GET /v1/sessions/oidc/callback',
    access: 'open',
    summary: 'where the identity provider sends the browser back to',
    answers: { 302: ['to the console, with a one-time code after `#`', null] },
    errors: ['not_found', 'invalid_request', 'invalid_key', 'rate_limited', 'provider_unavailable'],
  },
  finishOidcSignIn: {
    route: 'POST /v1/sessions/oidc/finish',
    access: 'open',
    summary: 'exchange the one-time code for a session, with the secret of the tab that began',
    body: bodyOf({ code: name, secret: name }),
    answers: ENTERED,
    errors: [...ERRORS, 'not_found', 'invalid_key', 'not_a_member'],
  },
});
