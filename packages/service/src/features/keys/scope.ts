/** Checks that a key may send intents for their system and workflow. */
import { shortened } from '@writecheck/contract';
import type { StoredKey } from '@writecheck/store/port';
import { type Refusal, refuse } from '../../exchange/refusal.ts';

export function outOfScope(
  { allowedSystems, allowedWorkflows }: Pick<StoredKey, 'allowedSystems' | 'allowedWorkflows'>,
  { system, workflowId }: { readonly system: string; readonly workflowId?: string | undefined },
  /** The caller's name for the member. */
  nameOfWorkflow = 'workflowId',
): Refusal | null {
  if (allowedSystems !== null && !allowedSystems.includes(system)) {
    return refuse(
      'insufficient_scope',
      `this key is not allowed to check writes to the system \`${shortened(system)}\`; use a key for this system`,
    );
  }
  if (allowedWorkflows !== null && (workflowId === undefined || !allowedWorkflows.includes(workflowId))) {
    return refuse(
      'insufficient_scope',
      workflowId === undefined
        ? `this key must name one of its workflows in \`${nameOfWorkflow}\``
        : `this key is not allowed to use the workflow \`${shortened(workflowId)}\`; use a key for this workflow`,
    );
  }
  return null;
}
