/** Whether somebody may use a route, by the kind of their key or by their roles. */
import { type Access, mayUse } from '@writecheck/api';
import { type Refusal, refuse } from '../refusal.ts';
import type { Actor } from './actor.ts';

/** Null if the actor may use the route. */
export function refuseActor(access: Access, operationId: string, actor: Actor): Refusal | null {
  if (actor.kind === 'checking_key') {
    if (access === 'checking' || access === 'either') return null;
    return refuse('insufficient_scope', `a ${actor.key.kind} key cannot do this; use an owner key`);
  }
  if (access === 'checking') {
    const who = actor.kind === 'person' ? 'a person' : 'an owner key';
    return refuse('insufficient_scope', `${who} cannot send checks; use a development or live key`);
  }
  if (actor.kind === 'owner_key') {
    if (access !== 'person') return null;
    return refuse('insufficient_scope', 'this is for people who signed in; an owner key has no session');
  }
  if (mayUse(operationId, actor.person.roles)) return null;
  return refuse('insufficient_scope', 'none of your roles may do this; ask an owner of the workspace');
}

/** Whether they may do whatever an owner key may. */
export function isOwner(actor: Actor): boolean {
  return actor.kind === 'owner_key' || (actor.kind === 'person' && actor.person.roles.includes('owner'));
}
