/** The schemas of people, invitations and sessions. */
import { PERSON_STATES, ROLES } from '@writecheck/contract';
import type { JsonSchema } from '../../fields/body-fields.ts';
import { keySchema, momentSchema, nullableMomentSchema, textSchema, WHO_SCHEMA } from './shared-schemas.ts';

export const PERSON_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    id: textSchema,
    name: textSchema,
    email: textSchema,
    roles: { type: 'array', items: { enum: ROLES } },
    groups: { type: 'array', items: textSchema },
    state: { enum: PERSON_STATES },
    signIn: { type: 'array', items: { enum: ['passkey', 'oidc'] } },
    createdAt: momentSchema,
    lastSeenAt: nullableMomentSchema,
  },
  required: ['id', 'name', 'email', 'roles', 'groups', 'state', 'signIn', 'createdAt', 'lastSeenAt'],
};

export const PERSON: JsonSchema = { $ref: '#/components/schemas/Person' };

function objectOf(properties: { readonly [name: string]: JsonSchema }): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

export const PERSON_BODY = objectOf({ person: PERSON });
/** With the keys that a disabled person made. */
export const DISABLED_BODY = objectOf({ person: PERSON, keys: { type: 'array', items: keySchema } });
export const PEOPLE_BODY = objectOf({
  people: { type: 'array', items: PERSON },
  changes: {
    type: 'array',
    description: 'the newest changes of each person; absent are those from before the service kept them',
    items: objectOf({
      personId: textSchema,
      event: { enum: ['invited', 'joined', 'changed', 'reset', 'disabled'] },
      at: momentSchema,
      by: WHO_SCHEMA,
    }),
  },
});
const INVITATION = objectOf({ url: textSchema, expiresAt: momentSchema });
export const INVITATION_BODY = objectOf({ invitation: INVITATION });
export const INVITED_BODY = objectOf({ person: PERSON, invitation: INVITATION });
/** What every way to sign in responds with. */
export const SIGNED_IN_BODY = objectOf({
  session: objectOf({ token: textSchema, expiresAt: momentSchema }),
  person: PERSON,
});
export const ME_BODY = objectOf({
  person: { anyOf: [PERSON, { type: 'null' }] },
  workspace: objectOf({ id: textSchema, name: textSchema }),
  session: { anyOf: [objectOf({ expiresAt: momentSchema }), { type: 'null' }] },
});
