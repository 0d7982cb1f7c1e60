/** A decision prepared for drawing: the state of each gate, who requires each control, and what would satisfy it. */
import {
  type Assurance,
  areLookAlikes,
  type ControlEvaluation,
  type Decision,
  type DecisionResponse,
  type EngineDecision,
  type EvidenceItem,
  REVIEW_DESK,
  type Remediation,
  type RequirementProvenance,
  type WriteIntent,
} from '@writecheck/contract';
import { cutAround } from '../components/cut-around.ts';
import { quoted, shown } from '../components/quoted.ts';
import { type EvidenceKind, evidenceKind } from './evidence-facts.ts';

/** The members that a response and an engine decision share. */
type Shared =
  | 'decision'
  | 'evaluatedDecision'
  | 'reason'
  | 'reasonCode'
  | 'controlEvaluations'
  | 'requirementProvenance'
  | 'profileProvenance';

export interface Decided extends Pick<DecisionResponse, Shared> {
  readonly remediation: readonly Remediation[];
  readonly warnings: readonly string[];
  readonly validUntilMs: number | null;
  readonly atMs: number;
  readonly limits?: DecisionResponse['limits'] | undefined;
  readonly facts?: DecisionResponse['facts'] | undefined;
}

export interface ControlLimit {
  readonly maxAgeMs: number | null;
  /** Null if any source is accepted. */
  readonly sources: readonly string[] | null;
  readonly assurance: Assurance;
  /** `once` if an allow uses the evidence up. */
  readonly use?: string | undefined;
}

export type GateState = 'passes' | 'not_asked' | 'pause' | 'block';

export interface GateView {
  readonly gate: 'freeze' | 'policy' | 'workflow' | 'limit' | 'authority';
  readonly state: GateState;
  readonly says: string;
  readonly needs: readonly string[];
  /** Whether somebody seems to deceive, which is worse than a pause. */
  readonly isAlarm?: boolean;
}

export type ControlView = Picture['controls'][number];
export type Picture = ReturnType<typeof pictureOf>;

export function fromResponse(response: DecisionResponse): Decided {
  const { remediation = [], warnings = [], validUntil, timestamp } = response;
  const validUntilMs = validUntil === undefined ? null : Date.parse(validUntil);
  return { ...response, remediation, warnings, validUntilMs, atMs: Date.parse(timestamp) };
}

export function fromEngine(decision: EngineDecision, warnings: readonly string[], nowMs: number): Decided {
  return {
    ...decision,
    remediation: decision.remediation ?? [],
    warnings: [...warnings, ...decision.warnings],
    validUntilMs: decision.validUntil ?? null,
    atMs: nowMs,
  };
}

/** `limitOf` returns what the policies require of a control. Without it, the remediation supplies the limit. */
export function pictureOf(
  decided: Decided,
  intent: WriteIntent,
  limitOf: (controlId: string) => ControlLimit | null = () => null,
) {
  const gates = [
    ...freezeGate(decided),
    policyGate(decided),
    workflowGate(decided, intent),
    ...limitGate(decided),
    authorityGate(decided, intent),
  ];
  const controls = decided.controlEvaluations.map((evaluation) => {
    const { controlId, checkedAt } = evaluation;
    const remedy = decided.remediation.find(
      (each) => each.gate === 'control' && each.controlId === controlId,
    );
    const required = decided.requirementProvenance.find((each) => each.controlId === controlId);
    return {
      evaluation,
      /** Such as `request` or `profile:vendor-bank@1`. */
      requiredBy: required?.sources ?? [],
      need: remedy?.need ?? null,
      limit: limitOf(controlId) ?? (remedy === undefined ? null : limitFrom(remedy)),
      /** Of the evidence shown, at the time of the decision; null if unknown. */
      ageMs: ageOf(checkedAt, decided.atMs),
      /** Null if there is none. */
      evidence: evidenceOf(evaluation, intent.controlEvidence ?? []),
    };
  });
  return { decided, gates, controls };
}

/** The item that the evaluation is about: the engine shows its members unchanged. */
function evidenceOf(shown: ControlEvaluation, items: readonly EvidenceItem[]): EvidenceKind | null {
  if (!shown.present) return null;
  const alike = items.filter(
    (item) =>
      item.controlId === shown.controlId &&
      item.source === shown.source &&
      item.result === shown.result &&
      (item.evidenceRef ?? undefined) === shown.evidenceRef,
  );
  const item = alike.find(({ checkedAt }) => checkedAt === shown.checkedAt) ?? alike[0];
  return item === undefined ? null : evidenceKind(item);
}

/** A time without an offset is ambiguous; the engine treats its age as unknown too. */
function ageOf(checkedAt: string | undefined, atMs: number): number | null {
  if (checkedAt === undefined || !/(?:[Zz]|[+-]\d\d:\d\d)$/.test(checkedAt)) return null;
  const checkedMs = Date.parse(checkedAt);
  return Number.isNaN(checkedMs) ? null : atMs - checkedMs;
}

function limitFrom({ maxAgeSeconds, acceptedSources, assurance }: Remediation): ControlLimit {
  return {
    maxAgeMs: maxAgeSeconds === undefined ? null : maxAgeSeconds * 1_000,
    sources: ownSources(acceptedSources),
    assurance: assurance ?? 'asserted',
  };
}

/** The review desk does not limit the sources: a person may approve beside whatever else the control accepts. */
function ownSources(accepted: readonly string[] = []): readonly string[] | null {
  const own = accepted.filter((source) => source !== REVIEW_DESK);
  return own.length === 0 ? null : own;
}

function needsOf({ remediation }: Decided, gate: GateView['gate']): readonly string[] {
  return remediation.filter((each) => each.gate === gate).map(({ need }) => need);
}

function gateOf(
  gate: GateView['gate'],
  state: GateState,
  says: string,
  needs: readonly string[] = [],
): GateView {
  return { gate, state, says, needs };
}

/** Shown only while it stops something. */
function freezeGate(decided: Decided): readonly GateView[] {
  const needs = needsOf(decided, 'freeze');
  return needs.length === 0 ? [] : [gateOf('freeze', 'pause', 'Writes like this are frozen', needs)];
}

function policyGate(decided: Decided): GateView {
  const needs = needsOf(decided, 'policy');
  const isError = decided.reasonCode === 'policy_error';
  if (needs.length > 0)
    return gateOf(
      'policy',
      'pause',
      isError ? 'A condition could not be evaluated' : 'No profile covers this write',
      needs,
    );
  const { source, profileId, profileVersion } = decided.profileProvenance;
  if (source === 'match' || (source === 'workflow' && profileId !== undefined)) {
    const version = profileVersion === undefined ? '' : `@${profileVersion}`;
    return gateOf('policy', 'passes', `\`${profileId}${version}\` applies`);
  }
  const own = source === 'request' ? '. The request names its own controls' : '';
  return gateOf('policy', 'not_asked', `No profile applies${own}`);
}

function workflowGate(decided: Decided, { workflowId }: WriteIntent): GateView {
  const needs = needsOf(decided, 'workflow');
  if (workflowId === undefined) return gateOf('workflow', 'not_asked', 'The request names none', needs);
  const name = shown(workflowId);
  if (needs.length > 0) return gateOf('workflow', 'pause', `${name} is not registered`, needs);
  return decided.profileProvenance.source === 'workflow'
    ? gateOf('workflow', 'passes', `${name} is registered`)
    : gateOf('workflow', 'not_asked', `${name} is only a label here`);
}

/** Shown only if the write is beyond a limit. */
function limitGate(decided: Decided): readonly GateView[] {
  const needs = needsOf(decided, 'limit');
  if (needs.length === 0) return askedByLimit(decided);
  // No gate before it blocks, so its block is always the reason reported.
  const isReason = decided.reasonCode === 'limit_exceeded' || decided.reasonCode === 'limit_unreadable';
  const state = isReason && toldOf(decided) === 'block' ? 'block' : 'pause';
  return [gateOf('limit', state, 'This write is beyond a limit', needs)];
}

/** A limit that stops nothing itself: beyond it, the write needs more controls. */
function askedByLimit(decided: Decided): readonly GateView[] {
  const isAsked = ({ sources }: RequirementProvenance) => sources.some((each) => each.startsWith('limit:'));
  const asked = decided.requirementProvenance.filter(isAsked).map(({ controlId }) => controlId);
  const beyond = (decided.limits ?? []).filter((limit) => limit.beyond && !limit.observed);
  if (asked.length === 0 || beyond.length === 0) return [];
  const needs = decided.controlEvaluations
    .filter(({ controlId, effect }) => effect !== 'allow' && asked.includes(controlId))
    .map(({ controlId }) => `${shown(controlId)}, which the limit requires beyond its maximum`);
  const names = beyond.map(({ id }) => shown(id)).join(', ');
  return needs.length === 0
    ? [gateOf('limit', 'passes', `Beyond ${names}, and approved for that`)]
    : [gateOf('limit', 'pause', `This write is beyond ${names}`, needs)];
}

/** On an allow, the reason belongs to the decision that full enforcement would give. */
function toldOf({ decision, evaluatedDecision }: Decided): Decision {
  return decision === 'allow' ? evaluatedDecision : decision;
}

function authorityGate(decided: Decided, intent: WriteIntent): GateView {
  const needs = needsOf(decided, 'authority');
  const { authorityFound, authoritySource, authorityValue } = intent;
  if (needs.length > 0) {
    // If it blocks and no limit does, its block is the reason reported.
    const isMismatch = decided.reasonCode === 'authority_mismatch';
    const isBlock = isMismatch && toldOf(decided) === 'block';
    const { left, right } = cutAround(intent.agentValue ?? '', authorityValue ?? '');
    const says = isMismatch
      ? `${quoted(left)} is not ${quoted(right)}`
      : decided.reasonCode === 'authority_unverified'
        ? 'The value could not be confirmed'
        : 'Also stops this write';
    const areTwins = isMismatch && areLookAlikes(intent.agentValue, authorityValue);
    return {
      gate: 'authority',
      state: isBlock ? 'block' : 'pause',
      says,
      // The author of a forged value wants the source changed to match it.
      needs: areTwins
        ? ['find out where the agent got this value; do not change the source of record']
        : needs,
      ...(areTwins && { isAlarm: true }),
    };
  }
  const review = /person confirmed the authority in review (`[^`]+`)/.exec(decided.reason)?.[1];
  if (decided.decision === 'allow' && review !== undefined)
    return gateOf('authority', 'passes', `A person confirmed it in review ${review}`);
  if (authorityFound === undefined && authoritySource === undefined && authorityValue === undefined)
    return gateOf('authority', 'not_asked', 'No rule requires it');
  const source = authoritySource === undefined ? 'The authority' : shown(authoritySource);
  const says =
    authorityValue === undefined ? `Found in ${source}` : `${source} has the same value, says the caller`;
  return gateOf('authority', 'passes', says);
}
