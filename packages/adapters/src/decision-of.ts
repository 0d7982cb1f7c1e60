/** Passes the decision to the guarded tool through the object that its framework gives it. */
import type { AllowDecision } from '@writecheck/client';

const decisions = new WeakMap<object, AllowDecision>();

export function handOver(to: object | undefined, decision: AllowDecision): void {
  if (to !== undefined) decisions.set(to, decision);
}

/**
 * The allow that a guarded tool runs on. `given` is the object that the framework passes to the tool with its
 * arguments. Undefined if no guard ran the tool.
 */
export function decisionOf(given: object | undefined): AllowDecision | undefined {
  return given === undefined ? undefined : decisions.get(given);
}
