/** Lists what a write would need, without deciding it: the pure part of `POST /v1/requirements`. */
import {
  type Assurance,
  type AttestationChecks,
  type ControlStatus,
  DAY_MS,
  type Decision,
  HOUR_MS,
  type LimitState,
  MINUTE_MS,
  type ReasonCode,
  type Remediation,
  type WriteIntent,
  type WritePolicy,
} from '@writecheck/contract';
import type { Circumstances } from './circumstances.ts';
import {
  attestingControls,
  authorityObjection,
  codeOf,
  commonSources,
  confirmingControl,
} from './evaluate-authority.ts';
import { modeAt, stricterMode } from './modes.ts';
import type { Control, PolicySnapshot, ReviewRule } from './policy/snapshot.ts';
import { remediationFor, withDesk } from './remediation.ts';
import { byIdOnce, type Resolution } from './resolve-requirements.ts';
import { type Weighed, weighIntent } from './weigh-intent.ts';

/** A control's `review` in the form of a policy, with every default filled in. */
export interface StatedReview extends Pick<ReviewRule, 'groups' | 'approvals' | 'identity' | 'selfReview'> {
  readonly expiresIn: string;
  readonly holdsFor: string;
}

export interface StatedRequirement {
  readonly controlId: string;
  /** Null if any source will do. */
  readonly acceptedSources: readonly string[] | null;
  readonly maxAgeSeconds: number | null;
  readonly assurance: Assurance;
  readonly use: 'once' | null;
  readonly review: StatedReview | null;
  readonly requiredBy: readonly string[];
  /** The strictest mode among the sources that require it. */
  readonly mode: WritePolicy;
  readonly status: ControlStatus;
}

/** What an item must satisfy for conditions to read its facts. */
interface StatedFacts
  extends Pick<StatedRequirement, 'controlId' | 'acceptedSources' | 'maxAgeSeconds' | 'assurance' | 'use'> {
  readonly bind: 'intent' | 'object';
}

/** What a write requires, as if every observing policy enforced. */
export interface Requirements {
  readonly requirements: readonly StatedRequirement[];
  /** Every control whose facts a rule with a fitting match may read, whatever its condition; by id. */
  readonly facts: readonly StatedFacts[];
  readonly authority: {
    readonly applies: boolean;
    readonly acceptedSources: readonly string[] | null;
    /** The first one, if profiles name several. */
    readonly attestedBy: string | null;
    readonly confirmedBy: string | null;
    /** Null if the gate does not apply. */
    readonly status: 'satisfied' | 'authority_unverified' | 'authority_mismatch' | null;
  };
  /** The limits that apply, by id, as in a decision. */
  readonly limits: readonly LimitState[];
  readonly evaluated: { readonly decision: Decision; readonly reason_code: ReasonCode };
  /** What both decisions need; empty if both would be an allow. */
  readonly remediation: readonly Remediation[];
}

export function requirementsOf(
  intent: WriteIntent,
  facts: readonly AttestationChecks[],
  snapshot: PolicySnapshot,
  nowMs: number,
  circumstances?: Circumstances,
): Requirements {
  const weighed = weighIntent(intent, facts, snapshot, nowMs, circumstances);
  const { resolution, controls, verdict, ideal } = weighed;
  const allows = verdict.decision === 'allow' && ideal.decision === 'allow';
  const modes = modesOf(resolution, nowMs);
  return {
    requirements: resolution.requirements.map(({ control, sources }, index) => {
      const { id, maxAgeMs, assurance, useOnce, review } = control;
      return {
        controlId: id,
        acceptedSources:
          control.sources === null || review === null ? control.sources : withDesk(control.sources),
        maxAgeSeconds: maxAgeMs === null ? null : maxAgeMs / 1_000,
        assurance,
        use: useOnce ? 'once' : null,
        review: review === null ? null : stateReview(review),
        requiredBy: sources,
        // Observed if nothing that decides requires it.
        mode: modes.get(id) ?? 'observe',
        status: controls[index]!.evaluation.status,
      };
    }),
    facts: stateFacts(intent, snapshot),
    authority: stateAuthority(weighed),
    limits: resolution.evaluated.limits.map(({ state }) => state),
    evaluated: { decision: ideal.decision, reason_code: ideal.decidedBy?.code ?? 'requirements_met' },
    remediation: allows ? [] : remediationFor(weighed, snapshot),
  };
}

function stateFacts(intent: WriteIntent, snapshot: PolicySnapshot): readonly StatedFacts[] {
  const read = new Set<Control>();
  for (const { readsFacts } of snapshot.matchingProfiles(intent))
    for (const control of readsFacts) read.add(control);
  for (const { matches, readsFacts } of snapshot.limits)
    if (matches(intent)) for (const control of readsFacts) read.add(control);
  return byIdOnce(read).map(({ id, sources, maxAgeMs, assurance, bindObject, useOnce }) => ({
    controlId: id,
    acceptedSources: sources,
    maxAgeSeconds: maxAgeMs === null ? null : maxAgeMs / 1_000,
    assurance,
    bind: bindObject ? 'object' : 'intent',
    use: useOnce ? 'once' : null,
  }));
}

function stateAuthority({
  intent,
  resolution,
  evaluatedAuthority,
  evidence,
}: Weighed): Requirements['authority'] {
  const { evaluated } = resolution;
  const { applies } = evaluatedAuthority;
  const problem = authorityObjection(evaluatedAuthority);
  return {
    applies,
    acceptedSources: commonSources(evaluated.profiles),
    attestedBy: attestingControls(evaluated.profiles)[0]?.id ?? null,
    confirmedBy: confirmingControl(intent, evaluated, evidence.nowMs)?.id ?? null,
    status: applies ? (problem === undefined ? 'satisfied' : codeOf(problem)) : null,
  };
}

/** The strictest mode of the sources that decide, for each control that they require. */
function modesOf({ enforced, workflow }: Resolution, nowMs: number): ReadonlyMap<string, WritePolicy> {
  const ofSource = new Map<string, WritePolicy>();
  for (const source of [workflow, ...enforced.profiles])
    if (source !== null) ofSource.set(source.ref, modeAt(source.mode, nowMs));
  const modes = new Map<string, WritePolicy>();
  for (const { control, sources } of enforced.requirements) {
    let mode: WritePolicy = 'enforce';
    for (const source of sources) mode = stricterMode(mode, ofSource.get(source) ?? 'enforce');
    modes.set(control.id, mode);
  }
  return modes;
}

function stateReview({
  groups,
  approvals,
  identity,
  expiresInMs,
  holdsForMs,
  selfReview,
}: ReviewRule): StatedReview {
  return {
    groups,
    approvals,
    identity,
    expiresIn: stateDuration(expiresInMs),
    holdsFor: stateDuration(holdsForMs),
    selfReview,
  };
}

/** Writes a duration as policies do; a single day is 24h, like the default. */
function stateDuration(ms: number): string {
  if (ms % DAY_MS === 0 && ms > DAY_MS) return `${ms / DAY_MS}d`;
  if (ms % HOUR_MS === 0) return `${ms / HOUR_MS}h`;
  return ms % MINUTE_MS === 0 ? `${ms / MINUTE_MS}m` : `${ms / 1_000}s`;
}
