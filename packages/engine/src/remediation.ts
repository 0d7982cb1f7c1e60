/** What would turn a decision that is not an allow into one, gate by gate. */
import type { AttestationFacts, Remediation, RemediationAction, WriteIntent } from '@writecheck/contract';
import { type AuthorityOutcome, type AuthorityProblem, evaluateAuthority } from './evaluate-authority.ts';
import { type EvaluatedControl, evaluateControl, isSatisfied } from './evaluate-control.ts';
import {
  describeNeed,
  explainControl,
  explainPolicyError,
  explainUnknownWorkflow,
  explainUnmatched,
} from './explain.ts';
import type { Control, PolicySnapshot } from './policy/snapshot.ts';
import type { Resolution } from './resolve-requirements.ts';

const UNBOUND: AttestationFacts = { kind: 'rejected', why: 'its attestation is bound to another intent' };

/** What the caller mends by sending other members, not by evidence. */
type MembersProblem = Exclude<AuthorityProblem, { readonly kind: 'not_attested' }>;

export interface Findings {
  readonly intent: WriteIntent;
  readonly facts: readonly AttestationFacts[];
  readonly nowMs: number;
  readonly resolution: Resolution;
  /** Whether the intent is one that pauses if nothing applies. */
  readonly unmatchedPauses: boolean;
  /** Null where the intent names none, or one that is known or only a label. */
  readonly unknownWorkflowId: string | null;
  /** Of the reading that decides. */
  readonly authority: AuthorityOutcome;
  /** Of the reading in which everything enforces. */
  readonly evaluatedAuthority: AuthorityOutcome;
  readonly controls: readonly EvaluatedControl[];
}

/** What both decisions need, so that supplying it opens both. */
export function remediationFor(findings: Findings, snapshot: PolicySnapshot): readonly Remediation[] {
  const { intent, resolution, unknownWorkflowId } = findings;
  const { enforced, evaluated } = resolution;
  const list: Remediation[] = [];
  const erred = resolution.profiles.filter(
    (profile) => enforced.erredProfiles.includes(profile) || evaluated.erredProfiles.includes(profile),
  );
  if (erred.length > 0) list.push({ gate: 'policy', action: 'operator', need: explainPolicyError(erred) });
  const isUncovered = evaluated.isUncovered || (enforced.isUncovered && enforced.defaultPolicy !== 'observe');
  if (findings.unmatchedPauses && isUncovered)
    list.push({ gate: 'policy', action: 'operator', need: explainUnmatched() });
  if (unknownWorkflowId !== null) {
    list.push({ gate: 'workflow', action: 'correct', need: explainUnknownWorkflow(unknownWorkflowId) });
  }

  const authorities = authoritiesToSatisfy(findings);
  const members = remedyForAuthorityMembers(resolution, authorities);
  if (members !== null) list.push(members);
  // Authority members are part of the intent's digest: supplying them unbinds what was attested for the old one.
  const factsAfter = members === null ? findings.facts : findings.facts.map(afterAuthorityIsSupplied);
  const addRemedies = (controls: Iterable<EvaluatedControl>, gate: 'authority' | 'control') => {
    for (const one of controls) {
      const staysSatisfied = isSatisfied(
        evaluateControl(
          one.control,
          intent.controlEvidence ?? [],
          factsAfter,
          findings.nowMs,
          gate === 'authority',
        ),
      );
      if (!isSatisfied(one) || !staysSatisfied) list.push(remedyForControl(one, snapshot, gate));
    }
  };
  const attesting = new Map<string, EvaluatedControl>();
  for (const { attestedBy } of authorities) for (const one of attestedBy) attesting.set(one.control.id, one);
  addRemedies(attesting.values(), 'authority');
  addRemedies(findings.controls, 'control');
  return list;
}

/**
 * The authority gate of each reading that an observing default does not let through. A gate that applies only once
 * authority is sent counts too if the other one needs it sent.
 */
function authoritiesToSatisfy(findings: Findings): readonly AuthorityOutcome[] {
  const { intent, facts, nowMs, resolution, authority, evaluatedAuthority } = findings;
  const gates = [{ reading: resolution.evaluated, outcome: evaluatedAuthority }];
  if (authority !== evaluatedAuthority && resolution.enforced.writePolicy !== 'observe')
    gates.push({ reading: resolution.enforced, outcome: authority });
  const willBeSent = gates.some(({ outcome }) => outcome.problems.some(isAboutMembers));
  return gates.map(({ reading, outcome }) =>
    willBeSent && !outcome.applies
      ? evaluateAuthority(intent, reading, intent.controlEvidence ?? [], facts, nowMs, true)
      : outcome,
  );
}

function afterAuthorityIsSupplied(facts: AttestationFacts): AttestationFacts {
  return facts.kind === 'verified' && facts.boundToDigest ? UNBOUND : facts;
}

/** One entry for `authorityFound`, `authoritySource` and the two values together. */
function remedyForAuthorityMembers(
  resolution: Resolution,
  authorities: readonly AuthorityOutcome[],
): Remediation | null {
  const problems = authorities.flatMap((outcome) => outcome.problems.filter(isAboutMembers));
  if (problems.length === 0) return null;
  const acceptedSources = authorities
    .map((outcome) => outcome.acceptedSources)
    .reduce((a, b) => (a === null || b === null ? (a ?? b) : a.filter((source) => b.includes(source))));
  return {
    gate: 'authority',
    action: actionFor(problems, resolution, acceptedSources),
    need: [...new Set(problems.map(needOf))].join('; '),
    ...(acceptedSources !== null && { acceptedSources }),
  };
}

function isAboutMembers(problem: AuthorityProblem): problem is MembersProblem {
  return problem.kind !== 'not_attested';
}

function actionFor(
  problems: readonly MembersProblem[],
  resolution: Resolution,
  acceptedSources: readonly string[] | null,
): RemediationAction {
  if (acceptedSources?.length === 0) return 'operator';
  const contradicts = problems.some(
    (problem) => problem.kind === 'mismatch' || ('stated' in problem && problem.stated),
  );
  // Where a condition reads these members, supplying them may change what applies: no promise can be made.
  const readByCondition = resolution.profiles.some((profile) => profile.conditionReadsValues);
  return contradicts || readByCondition ? 'correct' : 'supply';
}

function needOf(problem: MembersProblem): string {
  switch (problem.kind) {
    case 'not_found':
      return 'look the value up in its authoritative source and send `authorityFound: true` with what it holds';
    case 'source_not_accepted':
      return problem.accepted.length === 0
        ? 'the profiles that apply accept no common authority source; an operator must mend them'
        : 'send the `authoritySource` the value was read from, which must be an accepted one';
    case 'value_missing':
      return problem.member === 'agentValue'
        ? 'send the `agentValue` that is to be written'
        : 'send the `authorityValue` that the source holds, equal to the proposed one';
    case 'mismatch':
      return "propose the authority's value, or have the authority corrected first";
  }
}

function remedyForControl(
  evaluated: EvaluatedControl,
  snapshot: PolicySnapshot,
  gate: 'authority' | 'control',
): Remediation {
  const { control, evaluation } = evaluated;
  const attested = gate === 'authority' || control.assurance === 'attested';
  const entry = (action: RemediationAction, need: string): Remediation => ({
    gate,
    controlId: control.id,
    action,
    need,
    ...(control.sources !== null && { acceptedSources: control.sources }),
    ...(control.maxAgeMs !== null && { maxAgeSeconds: control.maxAgeMs / 1000 }),
    ...(attested && { assurance: 'attested' as const }),
  });
  switch (evaluation.status) {
    case 'satisfied':
      return entry(
        'supply',
        `${describeNeed(control, attested)} anew, because supplying authority changes the intent that the present attestation is bound to`,
      );
    case 'failed':
    case 'revoked':
      return entry('withdraw', explainControl(control, evaluated));
    case 'unrecognized':
      return entry('correct', explainControl(control, evaluated));
    case 'missing':
    case 'stale':
    case 'expired':
    case 'untrusted':
      return attested && !canAttest(control, snapshot)
        ? entry('operator', `register an evidence source with keys that may attest control \`${control.id}\``)
        : entry('supply', describeNeed(control, attested));
  }
}

function canAttest(control: Control, snapshot: PolicySnapshot): boolean {
  const accepted = control.sources ?? [...snapshot.evidenceSources.keys()];
  return accepted.some((source) => (snapshot.evidenceSources.get(source)?.keys.length ?? 0) > 0);
}
