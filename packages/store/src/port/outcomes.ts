/** The outcome of an allow, as reported by the key that carried it out or by an owner. */
import { DAY_MS, type OutcomeResult } from '@writecheck/contract';
import type { Acting, EndedCode } from './acting.ts';

/** An outcome is recorded up to this long after the decision. */
export const REPORTED_MS_MAX = 30 * DAY_MS;

export interface StoredOutcome {
  readonly decisionId: string;
  readonly result: OutcomeResult;
  /** When it happened. */
  readonly atMs: number;
  readonly recordedAtMs: number;
  readonly by: { readonly kind: string; readonly id: string };
  readonly note: string | null;
  readonly ref: string | null;
}

export interface NewOutcome extends Omit<StoredOutcome, 'by'> {
  readonly workspace: string;
  readonly by: Acting;
}

export type OutcomeRecorded =
  | { readonly kind: 'recorded'; readonly outcome: StoredOutcome }
  /** It was erased or pruned. */
  | { readonly kind: 'no_decision' }
  /** Another result is recorded. */
  | { readonly kind: 'other_result' }
  /** The key, session or workspace ended since it was authenticated. */
  | { readonly kind: 'ended'; readonly code: EndedCode };
