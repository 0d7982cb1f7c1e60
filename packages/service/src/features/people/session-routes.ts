/** Who am I, and signing out. */
import { SESSIONS } from '@writecheck/api';
import type { PersonActor } from '../../exchange/actor.ts';
import { NO_CONTENT } from '../../exchange/answer.ts';
import { answer, implement } from '../../exchange/implement.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { shownPerson } from './shown-person.ts';

export function sessionRoutes({ people }: ServiceParts): readonly Route[] {
  return [
    implement(SESSIONS.readMe, async ({ actor }) => {
      const found = await people.store.findWorkspace(actor.workspace);
      const workspace = { id: actor.workspace, name: found?.name ?? '' };
      if (actor.kind !== 'person') return answer(SESSIONS.readMe, { person: null, workspace, session: null });
      const expiresAt = new Date(actor.session.expiresAtMs).toISOString();
      return answer(SESSIONS.readMe, {
        person: shownPerson(actor.person),
        workspace,
        session: { expiresAt },
      });
    }),
    implement(SESSIONS.signOut, async ({ actor, context }) => {
      // INVARIANT: the route is open to people only; the gate before it ensures it.
      const { session } = actor as PersonActor;
      await people.sessions.end(session, people.clock.notBefore(context.nowMs));
      return NO_CONTENT;
    }),
  ];
}
