/** Offers a review if a person could resolve a pause, and names the controls. */
import type { ReviewOffer } from '@writecheck/contract';
import { type AuthorityOutcome, authorityObjection, awaitsConfirmation } from './evaluate-authority.ts';
import { awaitsPerson, type EvaluatedControl, isSatisfied } from './evaluate-control.ts';
import type { Judgement } from './judge-reading.ts';
import type { PolicySnapshot } from './policy/snapshot.ts';
import { remedyForControl } from './remediation.ts';
import type { ModeReading } from './resolve-requirements.ts';

/**
 * Undefined if no person could: at least one enforced objection must be for a person, and for the others the
 * caller must only have to supply something. Only the deciding reading counts, so observing policies have no
 * effect.
 */
export function offerReview(
  verdict: Judgement,
  reading: ModeReading,
  authority: AuthorityOutcome,
  controls: readonly EvaluatedControl[],
  snapshot: PolicySnapshot,
): ReviewOffer | undefined {
  if (verdict.decision !== 'pause' || verdict.objections.some(needsSomebodyElse)) return undefined;
  const forPerson = new Set<string>();
  if (authorityObjection(authority) !== undefined && reading.writePolicy !== 'observe') {
    // Anything else that opens that gate changes the write or its digest; an approval of a write that must
    // change is worthless.
    if (!awaitsConfirmation(authority)) return undefined;
    forPerson.add(authority.confirmation!.control.id);
  }
  for (const one of controls) {
    if (isSatisfied(one)) continue;
    if (awaitsPerson(one)) forPerson.add(one.control.id);
    else if (remedyForControl(one, snapshot, 'control').action !== 'supply') return undefined;
  }
  return forPerson.size === 0 ? undefined : { controls: [...forPerson] };
}

/** An owner must lift a freeze, an operator must change a policy, or the caller must name another workflow. */
function needsSomebodyElse({ gate, enforced }: Judgement['objections'][number]): boolean {
  return enforced && (gate === 'freeze' || gate === 'policy' || gate === 'workflow' || gate === 'limit');
}
