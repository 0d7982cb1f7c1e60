/** Serves `/v1/me`, signing out, and signing in with a passkey, also with one that accepts an invitation. */
import { SESSIONS } from '@writecheck/api';
import type { PersonActor } from '../../exchange/actor.ts';
import { answer, implement } from '../../exchange/implement.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { shownPerson } from './shown-person.ts';
import { signedIn, signingIn } from './sign-in-answers.ts';

export function sessionRoutes(parts: ServiceParts): readonly Route[] {
  const { people } = parts;
  const route = signingIn(parts);
  return [
    implement(SESSIONS.readMe, async ({ actor }) => {
      const found = await people.store.findWorkspace(actor.workspace);
      const workspace = { id: actor.workspace, name: found?.name ?? '' };
      if (actor.kind !== 'person')
        return answer(SESSIONS.readMe, 200, { person: null, workspace, session: null });
      const expiresAt = new Date(actor.session.expiresAtMs).toISOString();
      return answer(SESSIONS.readMe, 200, {
        person: shownPerson(actor.person),
        workspace,
        session: { expiresAt },
      });
    }),
    implement(SESSIONS.signOut, async ({ actor, context }) => {
      // INVARIANT: the route is open to people only; the gate before it ensures it.
      const { session } = actor as PersonActor;
      await people.sessions.end(session, people.clock.notBefore(context.nowMs));
      return answer(SESSIONS.signOut, 204, null);
    }),
    route(SESSIONS.beginInvitation, async ({ token }, nowMs) => {
      const begun = await (await register()).beginRegistration(people, token, nowMs);
      if (begun.kind === 'refused') return begun;
      const { options, person } = begun;
      const workspace = (await people.store.findWorkspace(person.workspace))?.name ?? '';
      const { name, roles } = person;
      return answer(SESSIONS.beginInvitation, 200, { options, invitation: { workspace, name, roles } });
    }),
    route(SESSIONS.finishInvitation, async ({ token, credential }, nowMs) =>
      signedIn(await (await register()).finishRegistration(people, token, credential, nowMs)),
    ),
    route(SESSIONS.beginPasskeySignIn, async (_, nowMs) => {
      const options = await (await signInBy()).beginSignIn(people, nowMs);
      return answer(SESSIONS.beginPasskeySignIn, 200, { options });
    }),
    route(SESSIONS.finishPasskeySignIn, async ({ credential }, nowMs) =>
      signedIn(await (await signInBy()).finishSignIn(people, credential, nowMs)),
    ),
  ];
}

/** Loaded with the first request: the library of passkeys takes time and memory, and few need it. */
function register() {
  return import('./passkeys/register.ts');
}

function signInBy() {
  return import('./passkeys/sign-in.ts');
}
