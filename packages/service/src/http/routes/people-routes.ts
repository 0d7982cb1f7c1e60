/** Manages the people of a workspace. */

import { ROLES, type Role } from '@writecheck/contract';
import { type Answer, json, NO_CONTENT } from '../../answer.ts';
import { bodyOf, choice, type Field, listOf, optional } from '../../fields/body-fields.ts';
import { label } from '../../fields/text-fields.ts';
import type { Authenticator } from '../../keys/authenticate.ts';
import { shownKey } from '../../keys/shown-key.ts';
import {
  changePerson,
  createPerson,
  disablePerson,
  type Invited,
  invitePerson,
} from '../../people/manage-people.ts';
import type { PeopleParts } from '../../people/people-parts.ts';
import { shownPerson } from '../../people/shown-person.ts';
import { problemAnswer } from '../../problem-answer.ts';
import { clockRefusal, type Refusal } from '../../refusal.ts';
import { readJson } from '../read-json.ts';
import type { KeyedCall, Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { DISABLED_BODY, INVITATION_BODY, INVITED_BODY, PEOPLE_BODY, PERSON_BODY } from './person-schemas.ts';
import { BODY_ERRORS, SMALL_JSON } from './shared-schemas.ts';

const EMAIL_CHARACTERS_MAX = 254;
const EMAIL = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;
const GROUPS_MAX = 50;

const email: Field<string> = {
  schema: { type: 'string', format: 'email', maxLength: EMAIL_CHARACTERS_MAX },
  isRequired: true,
  read: (value) =>
    typeof value === 'string' &&
    value.length <= EMAIL_CHARACTERS_MAX &&
    value.isWellFormed() &&
    EMAIL.test(value)
      ? { value }
      : { fault: `must be an e-mail address of at most ${EMAIL_CHARACTERS_MAX} characters` },
};
/** In the order of the catalogue and each once, so that equal sets look alike. */
const roles: Field<readonly Role[]> = {
  ...listOf(choice(...ROLES), 1, ROLES.length),
  read: (value) => {
    const read = listOf(choice(...ROLES), 1, ROLES.length).read(value);
    return 'fault' in read ? read : { value: ROLES.filter((role) => read.value.includes(role)) };
  },
};
const groups: Field<readonly string[]> = {
  ...listOf(label, 0, GROUPS_MAX),
  read: (value) => {
    const read = listOf(label, 0, GROUPS_MAX).read(value);
    return 'fault' in read ? read : { value: [...new Set(read.value)] };
  },
};

const CREATE = bodyOf({ name: label, email, roles, groups: optional(groups) });
const CHANGE = bodyOf({ name: optional(label), roles: optional(roles), groups: optional(groups) });

export function peopleRoutes({ people: parts, authenticator }: ServiceParts): readonly Route[] {
  return [
    createRoute(parts),
    listRoute(parts),
    changeRoute(parts),
    inviteRoute(parts),
    disableRoute(parts, authenticator),
  ];
}

/** Never behind the log, which a change of a person is written to. */
async function answerAt(
  { clock }: PeopleParts,
  { context }: KeyedCall,
  handle: (nowMs: number) => Promise<Answer | Refusal>,
): Promise<Answer> {
  const moment = clock.at(context.nowMs);
  if (moment.kind !== 'now') return problemAnswer(context, clockRefusal(moment));
  const done = await handle(moment.nowMs);
  return 'status' in done ? done : problemAnswer(context, done);
}

function shownInvitation({ invitation: { url, stored } }: Invited): object {
  return { url, expiresAt: new Date(stored.expiresAtMs).toISOString() };
}

function createRoute(parts: PeopleParts): Route {
  return {
    method: 'POST',
    path: '/v1/people',
    access: 'managing',
    body: { ...SMALL_JSON, schema: CREATE.schema },
    described: {
      operationId: 'createPerson',
      summary: 'invite somebody; the URL of the invitation is shown once and is valid for 72 hours',
      success: { 201: { description: 'the person and the invitation', schema: INVITED_BODY } },
      errors: [...BODY_ERRORS, 'plan_limit', 'email_taken', 'clock_behind', 'clock_ahead'],
    },
    handle: (call) =>
      answerAt(parts, call, async (nowMs) => {
        const read = readJson(CREATE, call.body);
        if (read.kind === 'refused') return read;
        const wish = { ...read.value, groups: read.value.groups ?? [] };
        const made = await createPerson(parts, call.actor, wish, nowMs);
        if (made.kind === 'refused') return made;
        return json(201, { person: shownPerson(made.person), invitation: shownInvitation(made) });
      }),
  };
}

function listRoute(parts: PeopleParts): Route {
  return {
    method: 'GET',
    path: '/v1/people',
    access: 'managing',
    described: {
      operationId: 'listPeople',
      summary: 'all people of the workspace, disabled ones included',
      success: { 200: { description: 'the people, oldest first', schema: PEOPLE_BODY } },
      errors: [],
    },
    handle: async ({ actor }) => {
      await parts.sessions.flushUses();
      const people = await parts.store.listPeople(actor.workspace);
      const changes = people.flatMap(({ id, history }) => history.map((past) => ({ personId: id, ...past })));
      return json(200, { people: people.map(shownPerson), changes });
    },
  };
}

function changeRoute(parts: PeopleParts): Route {
  return {
    method: 'PATCH',
    path: '/v1/people/{id}',
    access: 'managing',
    body: { ...SMALL_JSON, schema: CHANGE.schema },
    described: {
      operationId: 'changePerson',
      summary: "change a person's name, roles or groups; nobody changes their own roles or groups",
      success: { 200: { description: 'the person', schema: PERSON_BODY } },
      errors: [...BODY_ERRORS, 'not_found', 'clock_behind', 'clock_ahead'],
    },
    handle: (call) =>
      answerAt(parts, call, async (nowMs) => {
        const read = readJson(CHANGE, call.body);
        if (read.kind === 'refused') return read;
        const patch = Object.fromEntries(
          Object.entries(read.value).filter(([, value]) => value !== undefined),
        );
        const person = await changePerson(parts, call.actor, call.params.id!, patch, nowMs);
        return 'code' in person ? person : json(200, { person: shownPerson(person) });
      }),
  };
}

function inviteRoute(parts: PeopleParts): Route {
  return {
    method: 'POST',
    path: '/v1/people/{id}/invitation',
    access: 'managing',
    described: {
      operationId: 'invitePerson',
      summary:
        'invite a person again, which ends the earlier invitation; for somebody who has signed in before it is a reset',
      success: { 201: { description: 'the invitation', schema: INVITATION_BODY } },
      errors: ['not_found', 'clock_behind', 'clock_ahead'],
    },
    handle: (call) =>
      answerAt(parts, call, async (nowMs) => {
        const made = await invitePerson(parts, call.actor, call.params.id!, nowMs);
        return made.kind === 'refused' ? made : json(201, { invitation: shownInvitation(made) });
      }),
  };
}

function disableRoute(parts: ServiceParts['people'], authenticator: Pick<Authenticator, 'forgetAll'>): Route {
  return {
    method: 'DELETE',
    path: '/v1/people/{id}',
    access: 'managing',
    described: {
      operationId: 'disablePerson',
      summary:
        'disable a person: their sessions end, keys they hold are refused, and what depends on them no longer counts',
      success: {
        200: { description: 'disabled; `keys` are those they made, which still work', schema: DISABLED_BODY },
        204: { description: 'disabled; no key that they made is left', schema: null },
      },
      errors: ['not_found', 'clock_behind', 'clock_ahead'],
    },
    handle: (call) =>
      answerAt(parts, call, async (nowMs) => {
        const person = await disablePerson(parts, call.actor, call.params.id!, nowMs);
        if ('code' in person) return person;
        authenticator.forgetAll();
        const keys = (await parts.store.listKeys(person.workspace)).filter(
          ({ madeBy, revokedAtMs }) => madeBy === person.id && revokedAtMs === null,
        );
        if (keys.length === 0) return NO_CONTENT;
        return json(200, { person: shownPerson(person), keys: keys.map(shownKey) });
      }),
  };
}
