/** What somebody gets who asks for a decision that is not there, was erased, or is not theirs to see. */
import type { Store } from '@writecheck/store/port';
import type { Actor } from '../../exchange/actor.ts';
import { type Refusal, refuse } from '../../exchange/refusal.ts';

export const NO_SUCH_DECISION: Refusal = refuse('not_found', 'there is no such decision in this workspace');

/** Of one that the log does not show: it never was, or it was erased. */
export async function noSuchDecision(
  store: Pick<Store, 'isErased'>,
  workspace: string,
  id: string,
): Promise<Refusal> {
  if (!(await store.isErased(workspace, id))) return NO_SUCH_DECISION;
  return refuse(
    'decision_erased',
    'whatever was recorded under this id was erased; an entry of the log says why',
  );
}

/** A checking key sees what it requested, everybody else the whole workspace. */
export function maySee(actor: Actor, askedBy: string): boolean {
  return actor.kind !== 'checking_key' || actor.id === askedBy;
}
