/** People, their invitations and their sessions. */
import { PERSON_STATES, ROLES, type Role } from '@writecheck/contract';
import { bodyOf, choice, type Field, listOf, optional } from './fields.ts';
import { KEY } from './keys.ts';
import { BODY_ERRORS, CLOCK_ERRORS, operations } from './operation.ts';
import { described, list, named, nullable, object, type TypeOf, text, time } from './shape.ts';
import { label } from './text-fields.ts';
import { WHO } from './who.ts';

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
/** Sorts the roles as in the catalogue and drops repeated ones, so that equal sets look alike. */
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

export const PERSON_ROLES = list(choice(...ROLES));
export const PERSON = named(
  'Person',
  object({
    id: text,
    name: text,
    email: text,
    roles: PERSON_ROLES,
    groups: list(text),
    state: choice(...PERSON_STATES),
    signIn: list(choice('passkey', 'oidc')),
    createdAt: time,
    lastSeenAt: nullable(time),
  }),
);
const CHANGE = object({
  personId: text,
  event: choice('invited', 'joined', 'changed', 'reset', 'disabled', 'removed'),
  at: time,
  by: WHO,
});
const INVITATION = object({ url: text, expiresAt: time });

export type Person = TypeOf<typeof PERSON>;
/** What happened to a person, and who did it. */
export type PersonChange = TypeOf<typeof CHANGE>;
export type Invitation = TypeOf<typeof INVITATION>;

export const PEOPLE = operations({
  createPerson: {
    route: 'POST /v1/people',
    access: 'managing',
    summary: 'invite somebody; the URL of the invitation is shown once and is valid for 72 hours',
    body: bodyOf({ name: label, email, roles, groups: optional(groups) }),
    answers: { 201: ['the person and the invitation', object({ person: PERSON, invitation: INVITATION })] },
    errors: [...BODY_ERRORS, 'plan_limit', 'email_taken', ...CLOCK_ERRORS],
  },
  listPeople: {
    route: 'GET /v1/people',
    access: 'managing',
    summary: 'all people of the workspace, disabled ones included',
    answers: {
      200: [
        'the people, oldest first',
        object({
          people: list(PERSON),
          changes: described(
            'the newest changes of each person; absent are those from before the service kept them',
            list(CHANGE),
          ),
        }),
      ],
    },
    errors: [],
  },
  changePerson: {
    route: 'PATCH /v1/people/{id}',
    access: 'managing',
    summary: "change a person's name, roles or groups; nobody changes their own roles or groups",
    body: bodyOf({ name: optional(label), roles: optional(roles), groups: optional(groups) }),
    answers: { 200: ['the person', object({ person: PERSON })] },
    errors: [...BODY_ERRORS, 'not_found', ...CLOCK_ERRORS],
  },
  invitePerson: {
    route: 'POST /v1/people/{id}/invitation',
    access: 'managing',
    summary:
      'invite a person again, which ends the earlier invitation; for somebody who has signed in before it is a reset',
    answers: { 201: ['the invitation', object({ invitation: INVITATION })] },
    errors: ['not_found', ...CLOCK_ERRORS],
  },
  disablePerson: {
    route: 'DELETE /v1/people/{id}',
    access: 'managing',
    summary:
      'disable a person: their sessions end, keys they hold are refused, and what depends on them no longer counts',
    answers: {
      200: [
        'disabled; `keys` are those they made, which still work',
        object({ person: PERSON, keys: list(KEY) }),
      ],
      204: ['disabled; no key that they made is left', null],
    },
    errors: ['not_found', 'last_owner_key', ...CLOCK_ERRORS],
  },
});
