/** Whether a bundle is at least as strict as the running one: the question that decides if a person must confirm. */
import type { ProblemDetail } from '@writecheck/contract';

export type Comparison =
  | { readonly kind: 'at_least_as_strict' }
  /** It may loosen; the examples are what could be found of it. */
  | { readonly kind: 'may_loosen'; readonly examples: readonly ProblemDetail[] };

export type CompareBundles = (
  running: readonly unknown[],
  next: readonly unknown[],
) => Comparison | Promise<Comparison>;

/** Sound without looking: it asks about every change, so it never asks too seldom. */
export const everyChangeMayLoosen: CompareBundles = () => ({ kind: 'may_loosen', examples: [] });
