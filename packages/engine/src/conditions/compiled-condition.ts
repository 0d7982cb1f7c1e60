/** A compiled condition: a function of an intent, the time, a budget and the facts that sources signed. */
import type { JsonObject, WriteIntent } from '@writecheck/contract';

/**
 * The result of a condition for an intent. `unreadable` if a path is absent or of the wrong type: a permit does
 * not apply then, and every other profile applies and gives nothing. `error` counts as "applies, and is not
 * met".
 */
export type ConditionResult = 'applies' | 'unreadable' | 'skips' | 'error';

/**
 * What the conditions of one decision may still cost together; each decision creates one and passes it to every
 * condition.
 */
export interface ConditionBudget {
  left: number;
}

/** What a source signed about the record behind a control; null if no good item says anything. */
export type FactsOf = (controlId: string) => JsonObject | null;

/** If `budget` is omitted, the condition has its own; if `facts` is, it has none. A used-up budget is an `error`. */
export type Condition = (
  intent: WriteIntent,
  nowMs: number,
  budget?: ConditionBudget,
  facts?: FactsOf,
) => ConditionResult;
