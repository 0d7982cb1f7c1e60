/** Bounds what the conditions of one decision cost together, whoever wrote them and whatever the intent holds. */
import type { ConditionBudget } from '../policy/snapshot.ts';

/** A unit is some nanoseconds: the whole stays below five milliseconds. */
export const CONDITION_BUDGET = 1_000_000;

export function newConditionBudget(): ConditionBudget {
  return { left: CONDITION_BUDGET };
}
