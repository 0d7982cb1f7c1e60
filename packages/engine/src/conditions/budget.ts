/** Limits the total cost of the conditions of one decision, whoever wrote them and whatever the intent contains. */
import type { ConditionBudget } from './compiled-condition.ts';

/** A unit is a few nanoseconds: the total stays below five milliseconds. */
export const CONDITION_BUDGET = 1_000_000;

export function newConditionBudget(): ConditionBudget {
  return { left: CONDITION_BUDGET };
}
