/** The refusals for a decision that the log does not show: it never was, or it was erased. */
import type { Store } from '@writecheck/store/port';
import { type Refusal, refuse } from '../../exchange/refusal.ts';

export const NO_SUCH_DECISION: Refusal = refuse('not_found', 'there is no such decision in this workspace');

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
