/** Manages the people of a workspace. */
import { PEOPLE } from '@writecheck/api';
import { given } from '@writecheck/contract';
import { answer, implement } from '../../exchange/implement.ts';
import { atLogTime } from '../../exchange/refusal.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { shownKey } from '../keys/shown-key.ts';
import { changePerson, createPerson, disablePerson, type Invited, invitePerson } from './manage-people.ts';
import { shownPerson } from './shown-person.ts';

export function peopleRoutes({ people: parts, authenticator }: ServiceParts): readonly Route[] {
  return [
    implement(PEOPLE.createPerson, (call, { groups = [], ...wish }) =>
      atLogTime(parts.clock, call.context, async (nowMs) => {
        const made = await createPerson(parts, call.actor, { ...wish, groups }, nowMs);
        if (made.kind === 'refused') return made;
        const person = shownPerson(made.person);
        return answer(PEOPLE.createPerson, 201, { person, invitation: shownInvitation(made) });
      }),
    ),
    implement(PEOPLE.listPeople, async ({ actor }) => {
      await parts.sessions.flushUses();
      const people = await parts.store.listPeople(actor.workspace);
      const changes = people.flatMap(({ id, history }) => history.map((past) => ({ personId: id, ...past })));
      return answer(PEOPLE.listPeople, 200, { people: people.map(shownPerson), changes });
    }),
    implement(PEOPLE.changePerson, (call, wish) =>
      atLogTime(parts.clock, call.context, async (nowMs) => {
        const person = await changePerson(parts, call.actor, call.params.id, given(wish), nowMs);
        return 'code' in person ? person : answer(PEOPLE.changePerson, 200, { person: shownPerson(person) });
      }),
    ),
    implement(PEOPLE.invitePerson, (call) =>
      atLogTime(parts.clock, call.context, async (nowMs) => {
        const made = await invitePerson(parts, call.actor, call.params.id, nowMs);
        if (made.kind === 'refused') return made;
        return answer(PEOPLE.invitePerson, 201, { invitation: shownInvitation(made) });
      }),
    ),
    implement(PEOPLE.disablePerson, (call) =>
      atLogTime(parts.clock, call.context, async (nowMs) => {
        const person = await disablePerson(parts, call.actor, call.params.id, nowMs);
        if ('code' in person) return person;
        // The keys they hold are refused from now on.
        authenticator.forgetAll();
        const keys = (await parts.store.listKeys(person.workspace)).filter(
          ({ madeBy, revokedAtMs }) => madeBy === person.id && revokedAtMs === null,
        );
        if (keys.length === 0) return answer(PEOPLE.disablePerson, 204, null);
        return answer(PEOPLE.disablePerson, 200, { person: shownPerson(person), keys: keys.map(shownKey) });
      }),
    ),
  ];
}

function shownInvitation({ invitation: { url, stored } }: Invited) {
  return { url, expiresAt: new Date(stored.expiresAtMs).toISOString() };
}
