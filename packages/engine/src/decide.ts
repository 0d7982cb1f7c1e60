/** The decision: a pure, total, deterministic function of an intent, its verified evidence, the policies and the time. */
import {
  type ConsumedAttestation,
  DECISIONS,
  type Decision,
  type EngineDecision,
  type ProfileProvenance,
  type ReasonCode,
  type RequirementProvenance,
  type WriteIntent,
} from '@writecheck/contract';
import { type AuthorityOutcome, evaluateAuthority } from './evaluate-authority.ts';
import { type EvaluatedControl, evaluateControl, type UsedItem } from './evaluate-control.ts';
import type { AttestationFacts } from './evidence/facts.ts';
import {
  explainAllow,
  explainAuthority,
  explainControl,
  explainPolicyError,
  explainUnknownWorkflow,
  explainUnmatched,
  quote,
} from './explain.ts';
import type { PolicySnapshot, Profile } from './policy/snapshot.ts';
import { remediationFor } from './remediation.ts';
import { type Resolution, resolveRequirements } from './resolve-requirements.ts';

const LONGEST_VALIDITY_MS = 5 * 60_000;

/** A gate that does not allow. Gates that do are not worth an object. */
interface Objection {
  readonly effect: Decision;
  readonly enforced: boolean;
  readonly code: ReasonCode;
  readonly explain: () => string;
}

export function decide(
  intent: WriteIntent,
  facts: readonly AttestationFacts[],
  snapshot: PolicySnapshot,
  nowMs: number,
): EngineDecision {
  const items = intent.controlEvidence ?? [];
  const resolution = resolveRequirements(intent, snapshot, nowMs);
  const { requirements, writePolicy } = resolution;
  const policyUnmatched =
    snapshot.unmatchedPauses && resolution.workflow === null && resolution.profiles.length === 0;
  const workflowUnknown = isWorkflowUnknown(intent, resolution, snapshot);
  const authority = evaluateAuthority(intent, resolution, items, facts, nowMs);
  const controls = requirements.map(({ control }) => evaluateControl(control, items, facts, nowMs));

  const objections: Objection[] = [];
  if (resolution.erredProfiles.length > 0) {
    objections.push({
      effect: 'pause',
      enforced: resolution.errorMode !== 'observe',
      code: 'policy_error',
      explain: () => explainPolicyError(resolution.erredProfiles),
    });
  }
  if (policyUnmatched) {
    objections.push({
      effect: 'pause',
      enforced: writePolicy !== 'observe',
      code: 'policy_unmatched',
      explain: explainUnmatched,
    });
  }
  if (workflowUnknown) {
    objections.push({
      effect: 'pause',
      enforced: true,
      code: 'workflow_unknown',
      explain: () => explainUnknownWorkflow(intent.workflowId ?? ''),
    });
  }
  const problem = authority.problems[0];
  if (problem !== undefined) {
    objections.push({
      effect: problem.kind === 'mismatch' && writePolicy === 'block_on_mismatch' ? 'block' : 'pause',
      enforced: writePolicy !== 'observe',
      code: problem.kind === 'mismatch' ? 'authority_mismatch' : 'authority_unverified',
      explain: () => explainAuthority(problem, authority, intent),
    });
  }
  for (let index = 0; index < controls.length; index += 1) {
    const evaluated = controls[index]!;
    const { effect, code } = evaluated.evaluation;
    if (effect === 'allow' || code === 'CONTROL_SATISFIED') continue;
    objections.push({
      effect,
      enforced: requirements[index]!.mode !== 'observe',
      code,
      explain: () => explainControl(evaluated.control, evaluated),
    });
  }

  const enforcedObjections = objections.filter(({ enforced }) => enforced);
  const decision = strictest(enforcedObjections);
  const evaluatedDecision = strictest(objections);
  const enforced = writePolicy !== 'observe' || workflowUnknown;
  const used = usedItems(controls, authority);
  const told = decision === 'allow' ? deciding(objections) : deciding(enforcedObjections);

  return {
    decision,
    evaluatedDecision,
    reason: reasonFor(decision, evaluatedDecision, told, controls.length, authority),
    reasonCode: told?.code ?? 'requirements_met',
    requiredControls: requirements.map(({ control }) => control.id),
    controlEvaluations: controls.map(({ evaluation }) => evaluation),
    profileProvenance: profileProvenance(intent, resolution, snapshot),
    requirementProvenance: requirementProvenance(resolution),
    writePolicy,
    observeMode: resolution.observeMode,
    enforced,
    warn: evaluatedDecision !== decision,
    failClosed: enforced,
    ...(decision === 'allow' && { validUntil: validUntil(used, nowMs) }),
    ...(evaluatedDecision !== 'allow' && {
      remediation: remediationFor(
        { intent, resolution, policyUnmatched, workflowUnknown, authority, controls },
        snapshot,
      ),
    }),
    warnings: warningsFor(intent, resolution, workflowUnknown, authority, facts),
    consumes: decision === 'allow' ? attestationsOf(used.filter(({ control }) => control.useOnce)) : [],
    restsOn: attestationsOf(used),
  };
}

/** An unregistered workflow is only a label where nothing could depend on it: the caller names its own controls and the workspace has no workflow at all. */
function isWorkflowUnknown(intent: WriteIntent, resolution: Resolution, snapshot: PolicySnapshot): boolean {
  if (resolution.unregisteredWorkflowId === null) return false;
  return snapshot.workflows.size > 0 || (intent.requiredControls?.length ?? 0) === 0;
}

function strictest(objections: readonly Objection[]): Decision {
  let decision: Decision = 'allow';
  for (const { effect } of objections) {
    if (DECISIONS.indexOf(effect) > DECISIONS.indexOf(decision)) decision = effect;
  }
  return decision;
}

/** The first objection at the maximum: its reason is the decision's reason. */
function deciding(objections: readonly Objection[]): Objection | undefined {
  const decision = strictest(objections);
  return objections.find(({ effect }) => effect === decision);
}

function reasonFor(
  decision: Decision,
  evaluatedDecision: Decision,
  told: Objection | undefined,
  controlCount: number,
  authority: AuthorityOutcome,
): string {
  if (told === undefined) return explainAllow(controlCount, authority.applies);
  if (decision !== 'allow') return told.explain();
  return `Allowed because the policies that object only observe; enforced, they would ${evaluatedDecision}: ${told.explain()}`;
}

function usedItems(controls: readonly EvaluatedControl[], authority: AuthorityOutcome): readonly UsedItem[] {
  const used: UsedItem[] = [];
  for (const evaluated of controls) if (evaluated.used !== null) used.push(evaluated.used);
  for (const evaluated of authority.attestedBy) if (evaluated.used !== null) used.push(evaluated.used);
  return used;
}

function validUntil(used: readonly UsedItem[], nowMs: number): number {
  let untilMs = nowMs + LONGEST_VALIDITY_MS;
  for (const { goodUntilMs } of used)
    if (goodUntilMs !== null && goodUntilMs < untilMs) untilMs = goodUntilMs;
  return untilMs;
}

function attestationsOf(used: readonly UsedItem[]): readonly ConsumedAttestation[] {
  const list: ConsumedAttestation[] = [];
  for (const { item, facts } of used) {
    if (facts.kind !== 'verified') continue;
    const { source } = item;
    const { jti } = facts;
    if (!list.some((known) => known.source === source && known.jti === jti)) list.push({ source, jti });
  }
  return list.sort((a, b) =>
    a.source === b.source ? (a.jti < b.jti ? -1 : 1) : a.source < b.source ? -1 : 1,
  );
}

function profileProvenance(
  intent: WriteIntent,
  { workflow, profiles }: Resolution,
  snapshot: PolicySnapshot,
): ProfileProvenance {
  const profile = mostSpecific(profiles);
  const source =
    workflow !== null
      ? 'workflow'
      : profile !== null
        ? 'match'
        : (intent.requiredControls?.length ?? 0) > 0
          ? 'request'
          : 'default';
  // Member by member: spreading optional members here costs as much as evaluating a control.
  const provenance: { -readonly [K in keyof ProfileProvenance]?: ProfileProvenance[K] } = {};
  if (profile !== null) {
    provenance.profileId = profile.id;
    if (profile.version !== null) provenance.profileVersion = profile.version;
    if (profile.controlPackId !== null) provenance.controlPackId = profile.controlPackId;
  }
  if (snapshot.digest !== null) provenance.policyRef = snapshot.digest;
  return Object.assign(provenance, { source });
}

/** Profiles come in order of id, so that the first of equally specific ones is the one by id. */
function mostSpecific(profiles: readonly Profile[]): Profile | null {
  let best: Profile | null = null;
  for (const profile of profiles) {
    if (best === null || profile.specificity > best.specificity) best = profile;
  }
  return best;
}

function requirementProvenance({ requirements }: Resolution): readonly RequirementProvenance[] {
  return requirements.map(({ control, sources, promotedFrom }) =>
    promotedFrom === null
      ? { controlId: control.id, sources }
      : { controlId: control.id, sources, diagnosePromotion: promotedFrom },
  );
}

function warningsFor(
  intent: WriteIntent,
  resolution: Resolution,
  workflowUnknown: boolean,
  authority: AuthorityOutcome,
  facts: readonly AttestationFacts[],
): readonly string[] {
  const warnings = [...authority.warnings];
  if (resolution.unregisteredWorkflowId !== null && !workflowUnknown) {
    warnings.unshift(
      `workflow ${quote(resolution.unregisteredWorkflowId)} is not registered and counts as a label only`,
    );
  }
  const asked = (id: string) =>
    resolution.requirements.some(({ control }) => control.id === id) ||
    authority.attestedBy.some(({ control }) => control.id === id);
  const ignored = new Set<string>();
  for (const [index, { controlId, result }] of (intent.controlEvidence ?? []).entries()) {
    const itemFacts = facts[index];
    const negative = result !== 'PASS' || (itemFacts?.kind === 'verified' && itemFacts.revoked);
    if (negative && !asked(controlId)) {
      ignored.add(
        `evidence for ${quote(controlId)} with result ${quote(result)} is not considered, because that control is not required`,
      );
    }
  }
  return ignored.size === 0 ? warnings : [...warnings, ...[...ignored].sort()];
}
