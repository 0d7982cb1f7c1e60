/** Every reason a decision can have: what it means and who acts on it. A code never changes its meaning. */
import type { ReasonCode } from './vocabulary.ts';

/** `nobody` if the write may go ahead. */
export type Actor = 'nobody' | 'caller' | 'reviewer' | 'operator';

export interface ReasonEntry {
  readonly meaning: string;
  readonly actor: Actor;
  readonly action: string;
}

export const REASON_CATALOGUE: { readonly [code in ReasonCode]: ReasonEntry } = {
  requirements_met: {
    meaning: 'every gate that applies is satisfied',
    actor: 'nobody',
    action: 'write before `validUntil`',
  },
  frozen: {
    meaning: 'somebody froze writes like this one; the reason is theirs',
    actor: 'operator',
    action: 'wait until the freeze is lifted, then ask again',
  },
  authority_unverified: {
    meaning:
      'authority could not be confirmed: it was not found, its source is not accepted, or a value is missing',
    actor: 'caller',
    action:
      'look up the value in an accepted source; send `authorityFound`, `authoritySource` and both values',
  },
  authority_mismatch: {
    meaning: 'the proposed value differs from the authoritative value',
    actor: 'reviewer',
    action:
      'find out which value is right, then correct the proposal or the source, or confirm the difference in a review if one is offered',
  },
  workflow_unknown: {
    meaning: 'the workflow is not registered, so its controls cannot be resolved',
    actor: 'caller',
    action: 'send the ID of a registered workflow, or ask the operator to register this one',
  },
  policy_unmatched: {
    meaning: 'no enforcing profile covers the write, and the workspace pauses such writes',
    actor: 'operator',
    action: 'write a profile for this kind of write',
  },
  policy_error: {
    meaning: 'a condition could not be evaluated, or too many rules apply, so the write pauses',
    actor: 'operator',
    action:
      'fix the condition, have the caller send the members it reads, with the expected types, or make fewer rules apply',
  },
  limit_unreadable: {
    meaning: 'a limit applies, and the amount of this write or the group it counts in cannot be read',
    actor: 'caller',
    action:
      'send the members that the limit reads, with the expected types; if they are sent, ask an operator',
  },
  limit_exceeded: {
    meaning: 'this write takes more than a limit leaves in its window',
    actor: 'operator',
    action: 'wait until the window resets, or have an owner give back what was drawn in error',
  },
  CONTROL_EVIDENCE_MISSING: {
    meaning: 'a required control has no evidence',
    actor: 'caller',
    action: 'run the check and send its evidence',
  },
  CONTROL_FAILED: {
    meaning: 'evidence says that the check failed; a PASS does not outvote it',
    actor: 'reviewer',
    action: 'find out why the check failed, then withdraw the write or the failing evidence',
  },
  CONTROL_EVIDENCE_STALE: {
    meaning: 'the evidence is older than the control allows, or its age is unknown',
    actor: 'caller',
    action: 'run the check again and send `checkedAt` with an offset',
  },
  CONTROL_EVIDENCE_EXPIRED: {
    meaning: 'the evidence or its attestation has expired',
    actor: 'caller',
    action: 'run the check again',
  },
  CONTROL_EVIDENCE_REVOKED: {
    meaning: 'the evidence was revoked',
    actor: 'reviewer',
    action: 'find out why it was revoked, then withdraw it',
  },
  CONTROL_EVIDENCE_UNTRUSTED: {
    meaning:
      'the source is not accepted, or the evidence is not attested as required, not backed by an approved review, dated in the future, or already used',
    actor: 'caller',
    action: 'send evidence from an accepted source, with the assurance the control requires',
  },
  CONTROL_RESULT_UNRECOGNIZED: {
    meaning: 'the result is not `PASS`, `FAIL` or `REVOKED`, so it might mean a refusal',
    actor: 'caller',
    action: 'send one of the three, in upper case',
  },
};
