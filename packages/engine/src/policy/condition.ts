/** Compiles a profile's condition; until it can, every condition counts as an error, which pauses. */
import type { PolicyFault } from './faults.ts';
import type { Condition } from './snapshot.ts';

export interface CompiledCondition {
  readonly evaluate: Condition;
  /** Whether it reads `authority*` or `agentValue`. */
  readonly readsValues: boolean;
}

export type ConditionFault = Pick<PolicyFault, 'message' | 'line' | 'column'>;

export type ConditionResult =
  | { readonly kind: 'condition'; readonly condition: CompiledCondition }
  | { readonly kind: 'invalid'; readonly faults: readonly ConditionFault[] };

export function compileCondition(_source: string): ConditionResult {
  return { kind: 'condition', condition: { evaluate: () => 'error', readsValues: true } };
}
