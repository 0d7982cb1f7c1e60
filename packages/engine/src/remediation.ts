/** Lists what would turn a pause or block into an allow, gate by gate. */
import {
  type AttestationChecks,
  REVIEW_DESK,
  type Remediation,
  type RemediationAction,
} from '@writecheck/contract';
import { haveLimitErrors, limitsBeyond } from './apply-limits.ts';
import {
  type AuthorityOutcome,
  type AuthorityProblem,
  awaitsConfirmation,
  evaluateAuthority,
  isConfirmed,
} from './evaluate-authority.ts';
import { type EvaluatedControl, evaluateControl, isSatisfied } from './evaluate-control.ts';
import {
  describeNeed,
  explainControl,
  explainExcess,
  explainLimit,
  explainLimitErrors,
  explainPolicyError,
  explainUnknownWorkflow,
  explainUnmatched,
} from './explain.ts';
import { isNobodys } from './policy/nobody.ts';
import type { Control, PolicySnapshot } from './policy/snapshot.ts';
import type { Weighed } from './weigh-intent.ts';

const UNBOUND: AttestationChecks = { kind: 'rejected', why: 'its attestation is bound to another intent' };

/** Problems that the caller fixes by sending other members, not by evidence. */
type MembersProblem = Exclude<AuthorityProblem, { readonly kind: 'not_attested' }>;

/** What both decisions need, so that supplying it resolves both. */
export function remediationFor(findings: Weighed, snapshot: PolicySnapshot): readonly Remediation[] {
  const { intent, resolution, verdict } = findings;
  const { enforced, evaluated } = resolution;
  // Nothing that a caller supplies helps.
  if (enforced.excess !== null && verdict.decidedBy?.code === 'policy_error')
    return [changePolicy(explainExcess(enforced.excess))];
  const list: Remediation[] = factsToSend(findings);
  for (const { id, reason } of findings.circumstances.freezes)
    list.push({
      gate: 'freeze',
      freezeId: id,
      action: 'operator',
      need: `an owner must lift the freeze \`${id}\`: ${reason}`,
    });
  const fixPolicy = (need: string) => list.push(changePolicy(need));
  const { of: facts } = findings.recordFacts;
  const excess = evaluated.excess ?? enforced.excess;
  if (excess !== null) fixPolicy(explainExcess(excess));
  else {
    const erred = new Set([...enforced.erredProfiles, ...evaluated.erredProfiles]);
    if (erred.size > 0)
      fixPolicy(
        explainPolicyError(
          resolution.profiles.filter((profile) => erred.has(profile)),
          intent,
          facts,
        ),
      );
  }
  if (haveLimitErrors(evaluated.limits)) fixPolicy(explainLimitErrors(evaluated.limits, intent, facts));
  if (evaluated.isUnmatched || (enforced.isUnmatched && enforced.defaultPolicy !== 'observe'))
    fixPolicy(explainUnmatched());
  const unknownWorkflowId = enforced.unknownWorkflowId ?? evaluated.unknownWorkflowId;
  if (unknownWorkflowId !== null) {
    list.push({ gate: 'workflow', action: 'correct', need: explainUnknownWorkflow(unknownWorkflowId) });
  }

  for (const one of limitsBeyond(evaluated.limits)) {
    const { limit } = one;
    if (limit.beyond !== 'require')
      list.push({ gate: 'limit', limitId: limit.id, action: 'operator', need: explainLimit(one) });
  }

  const { members, attesting, confirming } = authorityNeeds(findings);
  if (members !== null) list.push(members);
  if (confirming !== null) list.push(remedyByConfirming(confirming));
  // Authority members are part of the intent's digest: supplying them unbinds attestations for the old digest.
  const { evidence } = findings;
  const evidenceAfter =
    members === null ? evidence : { ...evidence, facts: evidence.facts.map(afterAuthorityIsSupplied) };
  const addRemedies = (controls: Iterable<EvaluatedControl>, gate: 'authority' | 'control') => {
    for (const one of controls) {
      const purpose = gate === 'authority' ? 'attestedBy' : 'control';
      const after = evaluateControl(one.control, evidenceAfter, purpose);
      if (!isSatisfied(one) || !isSatisfied(after)) list.push(remedyForControl(one, snapshot, gate));
    }
  };
  addRemedies(attesting, 'authority');
  addRemedies(findings.controls, 'control');
  return list;
}

function changePolicy(need: string): Remediation {
  return { gate: 'policy', action: 'operator', need };
}

/** Facts that conditions read but do not have. With them another rule may apply, so they promise nothing. */
function factsToSend({ resolution: { readsFacts }, recordFacts }: Weighed): Remediation[] {
  const used = recordFacts.used(readsFacts);
  return readsFacts
    .filter((control) => !used.some((one) => one.control.id === control.id))
    .map((control) => ({
      gate: 'policy',
      controlId: control.id,
      action: 'inform',
      need: `${describeNeed(control)}, with facts about the record that a condition reads`,
      ...(control.sources !== null && { acceptedSources: control.sources }),
      ...(control.maxAgeMs !== null && { maxAgeSeconds: control.maxAgeMs / 1000 }),
      assurance: control.assurance,
    }));
}

/** Whether other authority members would leave a condition without facts that it has now. */
function unbindsFacts({ resolution: { readsFacts }, recordFacts }: Weighed): boolean {
  return recordFacts
    .used(readsFacts)
    .some(({ facts }) => afterAuthorityIsSupplied(facts).kind === 'rejected');
}

interface AuthorityNeeds {
  readonly members: Remediation | null;
  readonly attesting: Iterable<EvaluatedControl>;
  /** The control with which a person could confirm authority instead. */
  readonly confirming: Control | null;
}

/**
 * The authority gate of each reading that an observing default does not let through. A gate that a person confirmed
 * or could confirm needs nothing else, unless the other needs other authority members: these change the intent, so
 * both gates must hold for the changed intent, including a gate that applies only once authority is sent.
 */
function authorityNeeds(findings: Weighed): AuthorityNeeds {
  const { intent, evidence, resolution, authority, evaluatedAuthority } = findings;
  const { enforced, evaluated } = resolution;
  const gates = [{ reading: evaluated, outcome: evaluatedAuthority }];
  if (authority !== evaluatedAuthority && enforced.writePolicy !== 'observe')
    gates.push({ reading: enforced, outcome: authority });
  const objecting = gates.filter(({ outcome }) => outcome.problems.length > 0 && !mayBeConfirmed(outcome));
  const needsMembers = objecting.some(({ outcome }) => outcome.problems.some(isAboutMembers));
  const asked = needsMembers
    ? gates.map(({ reading, outcome }) =>
        outcome.applies ? outcome : evaluateAuthority(intent, reading, evidence, true),
      )
    : objecting.map(({ outcome }) => outcome);
  const attesting = new Map<string, EvaluatedControl>();
  for (const { attestedBy } of asked) for (const one of attestedBy) attesting.set(one.control.id, one);
  // If the two differ in whether a person could confirm them, the deciding gate is reported.
  const outcomes = objecting.length === 0 ? [evaluatedAuthority, authority] : [authority];
  return {
    members: needsMembers
      ? remedyForAuthorityMembers(
          asked,
          enforced.readsValues || evaluated.readsValues || unbindsFacts(findings),
        )
      : null,
    attesting: attesting.values(),
    confirming: outcomes.find(awaitsConfirmation)?.confirmation?.control ?? null,
  };
}

function mayBeConfirmed(outcome: AuthorityOutcome): boolean {
  return isConfirmed(outcome) || awaitsConfirmation(outcome);
}

function remedyByConfirming(control: Control): Remediation {
  return {
    gate: 'authority',
    controlId: control.id,
    action: 'supply',
    need: describeNeed(control, 'confirmedBy'),
    acceptedSources: [REVIEW_DESK],
    ...(control.maxAgeMs !== null && { maxAgeSeconds: control.maxAgeMs / 1000 }),
    assurance: 'attested',
  };
}

function afterAuthorityIsSupplied(facts: AttestationChecks): AttestationChecks {
  return facts.kind === 'verified' && facts.boundToDigest ? UNBOUND : facts;
}

/** One entry for `authorityFound`, `authoritySource` and the two values together. */
function remedyForAuthorityMembers(
  authorities: readonly AuthorityOutcome[],
  readsValues: boolean,
): Remediation {
  const problems = authorities.flatMap((outcome) => outcome.problems.filter(isAboutMembers));
  const acceptedSources = authorities
    .map((outcome) => outcome.acceptedSources)
    .reduce((a, b) => (a === null || b === null ? (a ?? b) : a.filter((source) => b.includes(source))));
  return {
    gate: 'authority',
    action: actionFor(problems, readsValues, acceptedSources),
    need: [...new Set(problems.map(needOf))].join('; '),
    ...(acceptedSources !== null && { acceptedSources }),
  };
}

function isAboutMembers(problem: AuthorityProblem): problem is MembersProblem {
  return problem.kind !== 'not_attested';
}

function actionFor(
  problems: readonly MembersProblem[],
  readsValues: boolean,
  acceptedSources: readonly string[] | null,
): RemediationAction {
  if (acceptedSources?.length === 0) return 'operator';
  const contradicts = problems.some(
    (problem) => problem.kind === 'mismatch' || ('stated' in problem && problem.stated),
  );
  // If a condition reads these members, supplying them may change what applies: nothing can be promised.
  return contradicts || readsValues ? 'correct' : 'supply';
}

function needOf(problem: MembersProblem): string {
  switch (problem.kind) {
    case 'not_found':
      return 'look the value up in its authoritative source and send `authorityFound: true` with what it holds';
    case 'source_not_accepted':
      return problem.accepted.length === 0
        ? 'the profiles that apply accept no common authority source; an operator must fix them'
        : 'send the `authoritySource` the value was read from, which must be an accepted one';
    case 'value_missing':
      return problem.member === 'agentValue'
        ? 'send the `agentValue` that is to be written'
        : 'send the `authorityValue` that the source holds, equal to the proposed one';
    case 'mismatch':
      return "propose the authority's value, or have the authority corrected first";
  }
}

export function remedyForControl(
  evaluated: EvaluatedControl,
  snapshot: PolicySnapshot,
  gate: 'authority' | 'control',
): Remediation {
  const { control, evaluation } = evaluated;
  const purpose = gate === 'authority' ? 'attestedBy' : 'control';
  const attested = gate === 'authority' || control.assurance === 'attested';
  const byPerson = gate === 'control' && control.review !== null;
  const entry = (action: RemediationAction, need: string): Remediation => {
    const acceptedSources = action === 'supply' && byPerson ? withDesk(control.sources) : control.sources;
    return {
      gate,
      controlId: control.id,
      action,
      need,
      ...(acceptedSources !== null && { acceptedSources }),
      ...(control.maxAgeMs !== null && { maxAgeSeconds: control.maxAgeMs / 1000 }),
      ...(attested && { assurance: 'attested' as const }),
    };
  };
  switch (evaluation.status) {
    case 'satisfied':
      return entry(
        'supply',
        `${describeNeed(control, purpose)} again, because supplying authority changes the intent that the present attestation is bound to`,
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
      if (!attested || byPerson || canAttest(control, snapshot))
        return entry('supply', describeNeed(control, purpose));
      return entry(
        'operator',
        isNobodys(control)
          ? `nobody can satisfy control \`${control.id}\`: the policy forbids this write`
          : `register an evidence source with keys that may attest control \`${control.id}\``,
      );
  }
}

/** The sources a control lists, if any, and the review desk. */
export function withDesk(sources: readonly string[] | null): readonly string[] {
  if (sources === null) return [REVIEW_DESK];
  return sources.includes(REVIEW_DESK) ? sources : [...sources, REVIEW_DESK];
}

function canAttest(control: Control, snapshot: PolicySnapshot): boolean {
  const accepted = control.sources ?? [...snapshot.evidenceSources.keys()];
  return accepted.some((source) => (snapshot.evidenceSources.get(source)?.keys.length ?? 0) > 0);
}
