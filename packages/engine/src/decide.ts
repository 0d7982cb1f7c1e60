/** The decision: a pure, total, deterministic function of an intent, its verified evidence, the policies and the time. */
import {
  ALLOW_MS_MAX,
  type AttestationChecks,
  type ConsumedAttestation,
  type EngineDecision,
  type ProfileProvenance,
  REVIEW_DESK,
  type RequirementProvenance,
  type WriteIntent,
} from '@writecheck/contract';
import { type Circumstances, NO_CIRCUMSTANCES } from './circumstances.ts';
import type { ResolvedRequirement } from './collect-requirements.ts';
import { isConfirmed } from './evaluate-authority.ts';
import { type EvaluatedControl, isSatisfied } from './evaluate-control.ts';
import { reasonFor } from './judge-reading.ts';
import { offerReview } from './offer-review.ts';
import type { PolicySnapshot, Profile } from './policy/snapshot.ts';
import { remediationFor } from './remediation.ts';
import type { Resolution } from './resolve-requirements.ts';
import { warningsFor } from './warnings.ts';
import { weighIntent } from './weigh-intent.ts';

export function decide(
  intent: WriteIntent,
  facts: readonly AttestationChecks[],
  snapshot: PolicySnapshot,
  nowMs: number,
  circumstances: Circumstances = NO_CIRCUMSTANCES,
): EngineDecision {
  const weighed = weighIntent(intent, facts, snapshot, nowMs, circumstances);
  const { resolution, recordFacts, controls, enforcedControls, authority, verdict, ideal } = weighed;
  const { limits } = resolution.evaluated;
  const reading = resolution.enforced;
  const requiredControls = controls.map(({ control }) => control.id);
  const controlEvaluations = controls.map(({ evaluation }) => evaluation);
  const provenance = resolution.requirements.map(provenanceOf);
  // INVARIANT: an allow depends on, and uses up, only what the deciding reading needs; observed policies change
  // nothing.
  const used: EvaluatedControl[] = [];
  for (const one of enforcedControls) if (isSatisfied(one)) used.push(one);
  for (const one of authority.attestedBy) if (isSatisfied(one)) used.push(one);
  if (authority.confirmation !== null && isConfirmed(authority)) used.push(authority.confirmation);
  // Facts that an enforcing condition read count as used, whatever its result.
  if (reading.readsFacts.length > 0) used.push(...recordFacts.used(reading.readsFacts));

  const { writePolicy, unknownWorkflowId } = reading;
  const { decision } = verdict;
  const evaluatedDecision = ideal.decision;
  const decidedBy = decision === 'allow' ? ideal.decidedBy : verdict.decidedBy;
  const enforced =
    writePolicy !== 'observe' ||
    unknownWorkflowId !== null ||
    reading.limits.length > 0 ||
    circumstances.freezes.length > 0;

  return {
    decision,
    evaluatedDecision,
    reason: reasonFor(verdict, ideal, reading, authority),
    reasonCode: decidedBy?.code ?? 'requirements_met',
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
      evaluatedDecision === 'allow' && decision === 'allow' ? undefined : remediationFor(weighed, snapshot),
    review: offerReview(verdict, reading, authority, enforcedControls, snapshot),
    facts: resolution.readsFacts.length === 0 ? undefined : recordFacts.readings(resolution.readsFacts),
    limits: limits.length === 0 ? undefined : limits.map(({ state }) => state),
    warnings: warningsFor(weighed),
    consumes: decision === 'allow' ? attestationsOf(used.filter(servesOnce)) : [],
    restsOn: attestationsOf(used),
  };
}

/** An approval is single-use, whatever its control says. */
function servesOnce({ control, item }: EvaluatedControl): boolean {
  return control.useOnce || item?.source === REVIEW_DESK;
}

function validUntil(
  used: readonly EvaluatedControl[],
  nowMs: number,
  { observesUntilMs }: Resolution,
): number {
  // A policy that only observes now may object once it enforces.
  let untilMs = Math.min(nowMs + ALLOW_MS_MAX, observesUntilMs);
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

/** Profiles are ordered by id, so the first of equally specific ones has the lowest id. */
export function mostSpecific(profiles: readonly Profile[]): Profile | null {
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
