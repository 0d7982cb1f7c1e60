/**
 * The state of one evaluation of a condition, and how it runs out of budget, fails, or meets something
 * unreadable.
 */
import type { WriteIntent } from '@writecheck/contract';
import type { ConditionBudget, FactsOf } from './compiled-condition.ts';

export type Scalar = string | number | bigint | boolean;
export type Value = Scalar | readonly Value[] | { readonly [name: string]: Value };

export interface Frame {
  /** The values of the paths that must have one. */
  readonly values: Value[];
  /** The element that each macro looks at, the outer one first. */
  readonly elements: Value[];
  readonly intent: WriteIntent;
  readonly facts: FactsOf;
  readonly nowMs: number;
  readonly budget: ConditionBudget;
  /** Set by any error. INVARIANT: it is never cleared, so no operator can absorb an error. */
  failed: boolean;
  /** Set if something that is evaluated is absent or mistyped. INVARIANT: it is never cleared either. */
  unreadable: boolean;
}

export type Thunk = (frame: Frame) => Value;

/** False if the budget does not suffice: then the work must not be done. */
export function spend(frame: Frame, cost: number): boolean {
  frame.budget.left -= cost;
  if (frame.budget.left >= 0) return true;
  frame.failed = true;
  return false;
}

export function orUnreadable<T extends Value>(frame: Frame, instead: T): T {
  frame.unreadable = true;
  return instead;
}

export function orFail<T extends Scalar>(frame: Frame, value: T | null, instead: T): T {
  if (value !== null) return value;
  frame.failed = true;
  return instead;
}
