/** Reads from the profiles that apply what a review of a write must require beyond the rules of its controls. */
import type { AttestationChecks, WriteIntent } from '@writecheck/contract';
import type { PolicySnapshot } from './policy/snapshot.ts';
import { weighIntent } from './weigh-intent.ts';
import { differentLists } from './with-different-people.ts';

export interface ReviewTerms {
  /** The control whose approval also confirms authority; null if none does. */
  readonly confirms: string | null;
  /** Lists of controls: no person may approve two of one list. */
  readonly different: readonly (readonly string[])[];
  /** Whether the review must say on whose behalf it is asked. */
  readonly requesterRequired: boolean;
}

/** Reads only the policies that enforce. */
export function reviewTermsOf(
  intent: WriteIntent,
  facts: readonly AttestationChecks[],
  snapshot: PolicySnapshot,
  nowMs: number,
): ReviewTerms {
  const { resolution, authority } = weighIntent(intent, facts, snapshot, nowMs);
  const { profiles } = resolution.enforced;
  return {
    confirms: authority.confirmation?.control.id ?? null,
    different: differentLists(profiles),
    requesterRequired: profiles.some(({ requesterRequired }) => requesterRequired),
  };
}
