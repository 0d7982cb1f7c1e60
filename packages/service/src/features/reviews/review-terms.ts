/** Reads what the running policy requires of a review beyond the rules of its controls. */
import { parseIntent } from '@writecheck/contract';
import {
  type AttestationChecks,
  type PolicySnapshot,
  type ReviewTerms,
  reviewTermsOf,
} from '@writecheck/engine/deciding';

/** `facts` are those of the decision; empty if they are no longer known. */
export function termsOf(
  intentText: string,
  facts: readonly AttestationChecks[],
  snapshot: PolicySnapshot,
  atMs: number,
): ReviewTerms {
  const parsed = parseIntent(Buffer.from(intentText));
  // INVARIANT: this parser parsed the intent before it was decided.
  if (parsed.kind === 'refused') throw new TypeError('the intent of a review cannot be read');
  return reviewTermsOf(parsed.intent, facts, snapshot, atMs);
}
