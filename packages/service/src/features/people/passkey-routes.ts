/** Passkeys: accepting an invitation with one, and signing in with it. Nobody has a key here yet. */
import { SESSIONS } from '@writecheck/api';
import { answer } from '../../exchange/implement.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { signedIn, signingIn } from './sign-in-answers.ts';

/** Loaded with the first request: the library of passkeys takes time and memory, and few need it. */
function register() {
  return import('./passkeys/register.ts');
}

function signInBy() {
  return import('./passkeys/sign-in.ts');
}

export function passkeyRoutes(parts: ServiceParts): readonly Route[] {
  const route = signingIn(parts);
  return [
    route(SESSIONS.beginInvitation, async ({ token }, nowMs) => {
      const begun = await (await register()).beginRegistration(parts.people, token, nowMs);
      if (begun.kind === 'refused') return begun;
      const { options, person } = begun;
      const workspace = (await parts.people.store.findWorkspace(person.workspace))?.name ?? '';
      const { name, roles } = person;
      return answer(SESSIONS.beginInvitation, { options, invitation: { workspace, name, roles } });
    }),
    route(SESSIONS.finishInvitation, async ({ token, credential }, nowMs) =>
      signedIn(await (await register()).finishRegistration(parts.people, token, credential, nowMs)),
    ),
    route(SESSIONS.beginPasskeySignIn, async (_, nowMs) => {
      const options = await (await signInBy()).beginSignIn(parts.people, nowMs);
      return answer(SESSIONS.beginPasskeySignIn, { options });
    }),
    route(SESSIONS.finishPasskeySignIn, async ({ credential }, nowMs) =>
      signedIn(await (await signInBy()).finishSignIn(parts.people, credential, nowMs)),
    ),
  ];
}
