/** The facts about a decision that reconciling needs. */
import type { Decision } from '@writecheck/contract';

export interface DecisionFact {
  readonly id: string;
  readonly decision: Decision;
  readonly atMs: number;
  /** The end of an allow's validity; `atMs` for a pause or block. */
  readonly untilMs: number;
  readonly isDevelopment: boolean;
  /** The decision is an allow only because what failed is observed. */
  readonly isObserved: boolean;
  readonly isRedeemed: boolean;
  /** The outcome that its caller reported; null if none, or if it is not judged. */
  readonly outcome: string | null;
  /** Equal for equal values only. */
  readonly value: string;
}

/** Compares times, then ids. */
export function isOlder(a: DecisionFact, b: DecisionFact): boolean {
  return a.atMs !== b.atMs ? a.atMs < b.atMs : a.id < b.id;
}
