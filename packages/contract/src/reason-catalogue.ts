/** Every reason a decision can give: what it means and who acts on it. A code never changes its meaning. */
import type { ReasonCode } from './vocabulary.ts';

/** `nobody` where the write may go ahead. */
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
  authority_unverified: {
    meaning:
      'current authority could not be confirmed: not found, not from an accepted source, or a value is missing',
    actor: 'caller',
    action:
      'look the value up in an accepted source and send `authorityFound`, `authoritySource` and both values',
  },
  authority_mismatch: {
    meaning: 'the proposed value differs from the one the authoritative source holds',
    actor: 'reviewer',
    action:
      'find out which of the two values is right, then correct the proposal or the source, or confirm the difference in a review if one is offered',
  },
  workflow_unknown: {
    meaning: 'the workflow is not registered, so its controls cannot be resolved',
    actor: 'caller',
    action: 'send the id of a registered workflow, or ask the operator to register this one',
  },
  policy_unmatched: {
    meaning: 'no profile and no workflow applies, and the workspace pauses what nobody has thought of',
    actor: 'operator',
    action: 'write a profile for this kind of write',
  },
  policy_error: {
    meaning: 'a condition could not be evaluated, and doubt never allows',
    actor: 'operator',
    action: 'mend the condition, or have the caller send the members it reads with the types it expects',
  },
  CONTROL_EVIDENCE_MISSING: {
    meaning: 'a required control has no evidence',
    actor: 'caller',
    action: 'run the check and send its evidence',
  },
  CONTROL_FAILED: {
    meaning: 'evidence says that the check failed; a PASS beside it does not outvote it',
    actor: 'reviewer',
    action: 'find out why the check failed, and withdraw the write or the failing evidence',
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
    action: 'find out why it was revoked, and withdraw it',
  },
  CONTROL_EVIDENCE_UNTRUSTED: {
    meaning:
      'the source is not accepted, or the evidence is not attested as the control asks, not backed by an approved review, dated ahead or used up',
    actor: 'caller',
    action: 'send evidence of an accepted source with the assurance the control asks for',
  },
  CONTROL_RESULT_UNRECOGNIZED: {
    meaning: 'the result is none of `PASS`, `FAIL` and `REVOKED`, so it may be a refusal in other words',
    actor: 'caller',
    action: 'send the result in upper case as one of the three',
  },
};
