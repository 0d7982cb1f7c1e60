/** Refuses an actor who may not use a route, by the kind of their key or by their roles. */
import { type Access, mayServiceUse, mayUse } from '@writecheck/api/roles';
import { type Actor, rolesOf } from '../../exchange/actor.ts';
import { type Refusal, refuse } from '../../exchange/refusal.ts';

/** Null if the actor may use the route. */
export function refuseActor(access: Access, operationId: string, actor: Actor): Refusal | null {
  if (actor.kind === 'checking_key') {
    if (access === 'checking' || access === 'either') return null;
    return refuse('insufficient_scope', `a ${actor.key.kind} key cannot do this; use an owner key`);
  }
  if (access === 'checking') {
    return refuse(
      'insufficient_scope',
      `${WHO[actor.kind]} cannot send checks; use a development or live key`,
    );
  }
  if (actor.kind !== 'person' && access === 'person') {
    const message = `this is for people who signed in; ${WHO[actor.kind]} has no session`;
    return refuse('insufficient_scope', message);
  }
  switch (actor.kind) {
    case 'owner_key':
      return null;
    case 'service_key':
      return mayServiceUse(operationId, rolesOf(actor)) ? null : NOT_ITS_ROLE;
    case 'person':
      return mayUse(operationId, rolesOf(actor)) ? null : NOT_YOUR_ROLE;
  }
}

const WHO = { person: 'a person', owner_key: 'an owner key', service_key: 'a service key' } as const;
const NOT_ITS_ROLE = refuse(
  'insufficient_scope',
  'none of the roles of this key may do this; use an owner key',
);
const NOT_YOUR_ROLE = refuse(
  'insufficient_scope',
  'none of your roles may do this; ask an owner of the workspace',
);

/** Whether they may do whatever an owner key may. */
export function isOwner(actor: Actor): boolean {
  return rolesOf(actor).includes('owner');
}
