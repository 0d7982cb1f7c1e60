/** The error for a decision that does not exist, was erased, or was requested with another key. */
import type { Actor } from '../../exchange/actor.ts';
import { type Refusal, refuse } from '../../exchange/refusal.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';

type Parts = Pick<ServiceParts, 'store' | 'check'>;

export const NO_SUCH_DECISION: Refusal = refuse(
  'not_found',
  'there is no such decision in this workspace; check its id and the workspace of the key',
);

/**
 * The refusal for an id without a record: the record never existed, or it was erased. INVARIANT: only somebody who
 * could have seen the decision learns which. Erasure also removes which key asked, so a checking key learns it
 * only while its allow is recent.
 */
export async function noSuchDecision(
  { store, check }: Parts,
  { kind, workspace, id: actorId }: Actor,
  id: string,
): Promise<Refusal> {
  const couldSee = kind !== 'checking_key' || check.recentAllows.has(id, actorId);
  if (!couldSee || !(await store.isErased(workspace, id))) return NO_SUCH_DECISION;
  return refuse('decision_erased', 'any record with this id was erased; an entry of the log says why');
}

/** A checking key sees what it requested, everybody else the whole workspace. */
export function maySee(actor: Actor, askedBy: string): boolean {
  return actor.kind !== 'checking_key' || actor.id === askedBy;
}
