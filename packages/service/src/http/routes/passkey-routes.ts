/** Passkeys: accepting an invitation with one, and signing in with it. Nobody has a key here yet. */

import { json } from '../../answer.ts';
import { bodyOf, name } from '../../fields/body-fields.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { credential, OPTIONS_BODY, SIGNED_IN, signedIn, signingIn } from './sign-in-answers.ts';

const TOKEN = bodyOf({ token: name });
const REGISTRATION = bodyOf({ token: name, credential });
const NOTHING = bodyOf({});
const SIGN_IN = bodyOf({ credential });
const BEGUN = { 200: { description: 'what to pass to the browser', schema: OPTIONS_BODY } };

/** Loaded with the first request: the library of passkeys takes time and memory, and few need it. */
function register() {
  return import('../../people/passkeys/register.ts');
}

function signInBy() {
  return import('../../people/passkeys/sign-in.ts');
}

export function passkeyRoutes(parts: ServiceParts): readonly Route[] {
  const route = signingIn(parts);
  return [
    route('/v1/invitations/begin', TOKEN, {
      operationId: 'beginInvitation',
      summary: 'accept an invitation: the options for making a passkey',
      success: BEGUN,
      errors: ['not_found'],
      handle: async ({ token }, nowMs) => {
        const begun = await (await register()).beginRegistration(parts.people, token, nowMs);
        return begun.kind === 'refused' ? begun : json(200, { options: begun.options });
      },
    }),
    route('/v1/invitations/finish', REGISTRATION, {
      operationId: 'finishInvitation',
      summary: 'accept an invitation: register the passkey, which spends the invitation',
      success: SIGNED_IN,
      errors: ['not_found', 'assertion_invalid'],
      handle: async ({ token, credential: made }, nowMs) =>
        signedIn(await (await register()).finishRegistration(parts.people, token, made, nowMs)),
    }),
    route('/v1/sessions/passkey/begin', NOTHING, {
      operationId: 'beginPasskeySignIn',
      summary: 'sign in with a passkey: the options for the browser',
      success: BEGUN,
      errors: [],
      handle: async (_, nowMs) =>
        json(200, { options: await (await signInBy()).beginSignIn(parts.people, nowMs) }),
    }),
    route('/v1/sessions/passkey/finish', SIGN_IN, {
      operationId: 'finishPasskeySignIn',
      summary: 'sign in with a passkey',
      success: SIGNED_IN,
      errors: ['invalid_key'],
      handle: async ({ credential: used }, nowMs) =>
        signedIn(await (await signInBy()).finishSignIn(parts.people, used, nowMs)),
    }),
  ];
}
