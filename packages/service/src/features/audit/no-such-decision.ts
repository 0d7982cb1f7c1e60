/** The error for a decision that does not exist, was erased, or was requested with another key. */
import type { Store } from '@writecheck/store/port';
import type { Actor } from '../../exchange/actor.ts';
import { type Refusal, refuse } from '../../exchange/refusal.ts';

export const NO_SUCH_DECISION: Refusal = refuse('not_found', 'there is no such decision in this workspace');

/** For an id that the log has no record of: it never had one, or it was erased. */
export async function noSuchDecision(
  store: Pick<Store, 'isErased'>,
  workspace: string,
  id: string,
): Promise<Refusal> {
  if (!(await store.isErased(workspace, id))) return NO_SUCH_DECISION;
  return refuse('decision_erased', 'any record with this id was erased; an entry of the log says why');
}

/** A checking key sees what it requested, everybody else the whole workspace. */
export function maySee(actor: Actor, askedBy: string): boolean {
  return actor.kind !== 'checking_key' || actor.id === askedBy;
}
