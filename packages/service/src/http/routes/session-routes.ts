/** Who am I, and signing out. */

import { json, NO_CONTENT } from '../../answer.ts';
import type { PersonActor } from '../../people/actor.ts';
import { shownPerson } from '../../people/shown-person.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { ME_BODY } from './person-schemas.ts';

export function sessionRoutes({ people }: ServiceParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/me',
      access: 'managing',
      described: {
        operationId: 'readMe',
        summary: 'who is signed in, and to which workspace; person and session are null for an owner key',
        success: { 200: { description: 'the person, workspace and session', schema: ME_BODY } },
        errors: [],
      },
      handle: async ({ actor }) => {
        const found = await people.store.findWorkspace(actor.workspace);
        const workspace = { id: actor.workspace, name: found?.name ?? '' };
        if (actor.kind !== 'person') return json(200, { person: null, workspace, session: null });
        const expiresAt = new Date(actor.session.expiresAtMs).toISOString();
        return json(200, { person: shownPerson(actor.person), workspace, session: { expiresAt } });
      },
    },
    {
      method: 'DELETE',
      path: '/v1/sessions/current',
      access: 'person',
      described: {
        operationId: 'signOut',
        summary: 'sign out: the session ends everywhere within a second',
        success: { 204: { description: 'ended', schema: null } },
        errors: [],
      },
      handle: async ({ actor, context }) => {
        // INVARIANT: the route is open to people only; the gate before it ensures it.
        const { session } = actor as PersonActor;
        await people.sessions.end(session, people.clock.notBefore(context.nowMs));
        return NO_CONTENT;
      },
    },
  ];
}
