/** The decision: a pure, total, deterministic function of an intent, its verified evidence, the policies and the time. */
import type {
  AttestationFacts,
  ConsumedAttestation,
  ControlEvaluation,
  EngineDecision,
  EvidenceItem,
  ProfileProvenance,
  RequirementProvenance,
  WriteIntent,
} from '@writecheck/contract';
import { type AuthorityOutcome, evaluateAuthority } from './evaluate-authority.ts';
import { type EvaluatedControl, evaluateControl, isSatisfied } from './evaluate-control.ts';
import { quote } from './explain.ts';
import { judge, reasonFor } from './judge-reading.ts';
import type { Control, PolicySnapshot, Profile } from './policy/snapshot.ts';
import { remediationFor } from './remediation.ts';
import {
  type Reading,
  type Resolution,
  type ResolvedRequirement,
  resolveRequirements,
} from './resolve-requirements.ts';

const VALIDITY_MS_MAX = 5 * 60_000;
const NO_ITEMS: readonly EvidenceItem[] = [];

export function decide(
  intent: WriteIntent,
  facts: readonly AttestationFacts[],
  snapshot: PolicySnapshot,
  nowMs: number,
): EngineDecision {
  const items = intent.controlEvidence ?? NO_ITEMS;
  const resolution = resolveRequirements(intent, snapshot, nowMs);
  const { requirements, enforced: reading, evaluated } = resolution;
  const { writePolicy } = reading;
  const unmatchedPauses = (reading.isUncovered || evaluated.isUncovered) && snapshot.unmatchedPauses(intent);
  const unknownWorkflowId = unknownWorkflow(intent, resolution, snapshot);
  const controls: EvaluatedControl[] = [];
  const requiredControls: string[] = [];
  const controlEvaluations: ControlEvaluation[] = [];
  const provenance: RequirementProvenance[] = [];
  const used: EvaluatedControl[] = [];
  // One pass: a list made for each of these apart costs as much as evaluating two controls.
  for (const requirement of requirements) {
    const evaluatedControl = evaluateControl(requirement.control, items, facts, nowMs);
    controls.push(evaluatedControl);
    requiredControls.push(requirement.control.id);
    controlEvaluations.push(evaluatedControl.evaluation);
    provenance.push(provenanceOf(requirement));
  }
  const enforcedControls = controlsOf(reading, resolution, controls);
  for (const one of enforcedControls) if (isSatisfied(one)) used.push(one);
  const found = { intent, unmatchedPauses, unknownWorkflowId };
  const authority = evaluateAuthority(intent, reading, items, facts, nowMs);
  const verdict = judge(reading, authority, enforcedControls, found);
  const isSame = evaluated === reading;
  const evaluatedAuthority = isSame ? authority : evaluateAuthority(intent, evaluated, items, facts, nowMs);
  const ideal = isSame
    ? verdict
    : judge(evaluated, evaluatedAuthority, controlsOf(evaluated, resolution, controls), found);
  // INVARIANT: an allow rests on, and uses up, only what the deciding reading needs; what is watched changes nothing.
  for (const one of authority.attestedBy) if (isSatisfied(one)) used.push(one);

  const { decision } = verdict;
  const evaluatedDecision = ideal.decision;
  const told = decision === 'allow' ? ideal.told : verdict.told;
  const enforced = writePolicy !== 'observe' || unknownWorkflowId !== null;

  return {
    decision,
    evaluatedDecision,
    reason: reasonFor(verdict, ideal, enforcedControls.length, authority),
    reasonCode: told?.code ?? 'requirements_met',
    requiredControls,
    controlEvaluations,
    profileProvenance: profileProvenance(intent, resolution, snapshot),
    requirementProvenance: provenance,
    writePolicy,
    observeMode: resolution.observeMode,
    enforced,
    warn: evaluatedDecision !== decision,
    failClosed: enforced,
    validUntil: decision === 'allow' ? validUntil(used, nowMs, resolution) : undefined,
    remediation:
      evaluatedDecision === 'allow' && decision === 'allow'
        ? undefined
        : remediationFor(
            {
              ...{ intent, facts, nowMs, resolution, unmatchedPauses, unknownWorkflowId, controls },
              ...{ authority, evaluatedAuthority },
            },
            snapshot,
          ),
    warnings: warningsFor(intent, resolution, unknownWorkflowId, authority, evaluatedAuthority, facts),
    consumes: decision === 'allow' ? attestationsOf(used.filter(({ control }) => control.useOnce)) : [],
    restsOn: attestationsOf(used),
  };
}

/** What a reading requires, in its own order. */
function controlsOf(
  { requirements }: Reading,
  resolution: Resolution,
  controls: readonly EvaluatedControl[],
): readonly EvaluatedControl[] {
  if (requirements === resolution.requirements) return controls;
  const byId = new Map(controls.map((one) => [one.control.id, one]));
  return requirements.map(({ control }) => byId.get(control.id)!);
}

/** An unregistered workflow is only a label where nothing could depend on it: the caller names its own controls and the workspace has no workflow at all. */
function unknownWorkflow(
  { requiredControls }: WriteIntent,
  { unregisteredWorkflowId }: Resolution,
  { workflows }: PolicySnapshot,
): string | null {
  const isLabel = workflows.size === 0 && requiredControls !== undefined && requiredControls.length > 0;
  return isLabel ? null : unregisteredWorkflowId;
}

function validUntil(
  used: readonly EvaluatedControl[],
  nowMs: number,
  { observesUntilMs }: Resolution,
): number {
  // Whatever is watched now may object as soon as it enforces.
  let untilMs = Math.min(nowMs + VALIDITY_MS_MAX, observesUntilMs);
  for (const { goodUntilMs } of used)
    if (goodUntilMs !== null && goodUntilMs < untilMs) untilMs = goodUntilMs;
  return untilMs;
}

function attestationsOf(used: readonly EvaluatedControl[]): readonly ConsumedAttestation[] {
  const list: ConsumedAttestation[] = [];
  for (const { item, facts } of used) {
    if (item === null || facts.kind !== 'verified') continue;
    const { source } = item;
    const { jti } = facts;
    if (!list.some((known) => known.source === source && known.jti === jti)) list.push({ source, jti });
  }
  return list.length < 2 ? list : list.sort(bySourceAndJti);
}

function bySourceAndJti(a: ConsumedAttestation, b: ConsumedAttestation): number {
  if (a.source !== b.source) return a.source < b.source ? -1 : 1;
  return a.jti < b.jti ? -1 : 1;
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
  return {
    profileId: profile?.id,
    profileVersion: profile?.version ?? undefined,
    controlPackId: profile?.controlPackId ?? undefined,
    policyRef: snapshot.digest ?? undefined,
    source,
  };
}

/** Profiles come in order of id, so that the first of equally specific ones is the one by id. */
function mostSpecific(profiles: readonly Profile[]): Profile | null {
  let best: Profile | null = null;
  for (let index = 0; index < profiles.length; index += 1) {
    const profile = profiles[index]!;
    if (best === null || profile.specificity > best.specificity) best = profile;
  }
  return best;
}

function provenanceOf({ control, sources, promotedFrom }: ResolvedRequirement): RequirementProvenance {
  return promotedFrom === null
    ? { controlId: control.id, sources }
    : { controlId: control.id, sources, diagnosePromotion: promotedFrom };
}

function warningsFor(
  intent: WriteIntent,
  resolution: Resolution,
  unknownWorkflowId: string | null,
  authority: AuthorityOutcome,
  evaluatedAuthority: AuthorityOutcome,
  facts: readonly AttestationFacts[],
): readonly string[] {
  const warnings: string[] = [];
  if (resolution.unregisteredWorkflowId !== null && unknownWorkflowId === null) {
    warnings.push(
      `workflow ${quote(resolution.unregisteredWorkflowId)} is not registered and counts as a label only`,
    );
  }
  for (const warning of authority.warnings) warnings.push(warning);
  const items = intent.controlEvidence ?? NO_ITEMS;
  const ignored = items.filter(
    (item, index) =>
      isNegative(item, facts[index]) &&
      !isAsked(item.controlId, resolution, [...authority.attestedBy, ...evaluatedAuthority.attestedBy]),
  );
  if (ignored.length === 0) return warnings;
  const told = ignored.map(
    ({ controlId, result }) =>
      `evidence for ${quote(controlId)} with result ${quote(result)} is not considered, because that control is not required`,
  );
  return [...warnings, ...[...new Set(told)].sort()];
}

function isNegative({ result }: EvidenceItem, facts: AttestationFacts | undefined): boolean {
  return result !== 'PASS' || (facts?.kind === 'verified' && facts.revoked);
}

function isAsked(
  controlId: string,
  { requirements }: Resolution,
  attestedBy: readonly EvaluatedControl[],
): boolean {
  const asks = ({ control }: { readonly control: Control }) => control.id === controlId;
  return requirements.some(asks) || attestedBy.some(asks);
}
