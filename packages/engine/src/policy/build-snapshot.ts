/** Turns a bundle without errors into the snapshot that decisions read. */
import { durationMs, parseInstant, type WritePolicy } from '@writecheck/contract';
import { type CompiledCondition, compileCondition } from '../conditions/condition.ts';
import { enforcesFromMs } from '../modes.ts';
import { limitFrom } from './build-limit.ts';
import type {
  ControlDefinition,
  DefaultsDocument,
  LimitDocument,
  PolicyDocument,
  ProfileDocument,
  Requirement,
  WorkflowDocument,
} from './documents.ts';
import { compileMatch, specificityOf } from './match.ts';
import { ProfileIndex } from './profile-index.ts';
import { FIRST_REVIEW_RULE, reviewRuleFrom } from './review-rule.ts';
import type {
  Control,
  EvidenceKeys,
  Limit,
  Mode,
  PolicySnapshot,
  Profile,
  RequiredControl,
  ReviewRule,
  Workflow,
} from './snapshot.ts';

/** A document that may have a condition. */
export type ConditionedDocument = ProfileDocument | LimitDocument;

type ControlOf = (controlId: string) => Control;

/** `documents` must be ordered by kind and id. */
export function buildSnapshot(
  documents: readonly PolicyDocument[],
  conditions: ReadonlyMap<ConditionedDocument, CompiledCondition>,
  digest: string,
): PolicySnapshot {
  return allSteps(buildSteps(documents, (document) => conditions.get(document) ?? null, digest));
}

function allSteps(steps: Generator<void, PolicySnapshot>): PolicySnapshot {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * The same in many small steps, for a caller that must not block other work for long. The documents must come from
 * `compile`, in their order: nothing is checked here.
 */
export function snapshotSteps(
  documents: readonly PolicyDocument[],
  digest: string,
): Generator<void, PolicySnapshot> {
  return buildSteps(documents, conditionOf, digest);
}

function conditionOf({ kind, id, when }: ConditionedDocument): CompiledCondition | null {
  if (when === undefined) return null;
  const compiled = compileCondition(when);
  if (compiled.kind === 'condition') return compiled.condition;
  throw new Error(`the condition of ${kind.toLowerCase()} ${id} does not compile, although its bundle did`);
}

const CONTROLS_PER_STEP = 100;

function* buildSteps(
  documents: readonly PolicyDocument[],
  conditionFor: (document: ConditionedDocument) => CompiledCondition | null,
  digest: string | null,
  undefinedReview: ReviewRule | null = null,
): Generator<void, PolicySnapshot> {
  const controls = new Map<string, Control>();
  for (const document of documents) {
    if (document.kind !== 'ControlPack') continue;
    for (const [id, definition] of Object.entries(document.controls)) {
      controls.set(id, controlFrom(id, definition));
      if (controls.size % CONTROLS_PER_STEP === 0) yield;
    }
  }
  const controlOf: ControlOf = (id) => controls.get(id) ?? controlFrom(id, {}, undefinedReview);

  const profiles = new Map<string, Profile>();
  const index = new ProfileIndex();
  for (const document of documents) {
    if (document.kind !== 'Profile') continue;
    const profile = profileFrom(document, conditionFor(document), controlOf);
    profiles.set(document.id, profile);
    yield* index.add({ profile, match: document.match ?? {}, absentSkips: document.absent === 'skip' });
    yield;
  }
  const limits: Limit[] = [];
  const workflows = new Map<string, Workflow>();
  const evidenceSources = new Map<string, EvidenceKeys>();
  for (const document of documents) {
    if (document.kind === 'EvidenceSource') {
      evidenceSources.set(document.id, Object.freeze({ id: document.id, keys: document.keys.keys }));
    }
    if (document.kind === 'Limit')
      limits.push(limitFrom(document, conditionFor(document), modeFrom(document), controlOf));
    if (document.kind !== 'Workflow') continue;
    workflows.set(document.id, workflowFrom(document, profiles, controlOf));
    yield;
  }
  const defaults = documents.find((document) => document.kind === 'Defaults');
  return Object.freeze({
    digest,
    defaultMode: modeFrom(defaults ?? {}),
    hasRules: profiles.size + workflows.size > 0,
    rulesEnforceFromMs: firstToEnforce([...profiles.values(), ...workflows.values()]),
    unmatchedPauses: unmatchedFrom(defaults?.unmatched),
    authzenContext: defaults?.authzenContext ?? [],
    workflows,
    limits: Object.freeze(limits),
    controls,
    evidenceSources,
    controlOf,
    matchingProfiles: index.find,
  });
}

function unmatchedFrom(unmatched: DefaultsDocument['unmatched']): PolicySnapshot['unmatchedPauses'] {
  if (unmatched === undefined) return () => false;
  return unmatched === 'pause' ? () => true : compileMatch(unmatched.pause);
}

function firstToEnforce(rules: readonly { readonly mode: Mode }[]): number {
  let firstMs = Number.POSITIVE_INFINITY;
  for (const { mode } of rules) firstMs = Math.min(firstMs, enforcesFromMs(mode));
  return firstMs;
}

/** `undefinedReview` is the rule of a control that says nothing about reviews. */
function controlFrom(
  id: string,
  definition: ControlDefinition,
  undefinedReview: ReviewRule | null = null,
): Control {
  return Object.freeze({
    id,
    maxAgeMs: definition.maxAge === undefined ? null : durationMs(definition.maxAge),
    sources: definition.sources ?? null,
    assurance: definition.assurance ?? 'asserted',
    useOnce: definition.use === 'once',
    bindObject: definition.bind === 'object',
    onUnmet: definition.onUnmet ?? 'pause',
    onFailed: definition.onFailed ?? 'block',
    review: definition.review === undefined ? undefinedReview : reviewRuleFrom(definition.review),
    facts: definition.facts === true,
  });
}

function profileFrom(
  document: ProfileDocument,
  condition: CompiledCondition | null,
  controlOf: ControlOf,
): Profile {
  const authority = document.authority ?? { required: false };
  const details = authority === 'required' ? {} : authority;
  const { match = {} } = document;
  const speaksOfField = match.field !== undefined || condition?.readsField === true;
  const speaksOfOperation = match.operation !== undefined || condition?.readsOperation === true;
  return Object.freeze({
    id: document.id,
    version: document.version ?? null,
    ref:
      document.version === undefined
        ? `profile:${document.id}`
        : `profile:${document.id}@${document.version}`,
    controlPackId: document.controlPack ?? null,
    specificity: specificityOf(match),
    matchesOnObjectType: match.objectType !== undefined,
    matchesOnField: match.field !== undefined,
    matchesOnOperation: match.operation !== undefined,
    isAboutField: speaksOfField || !speaksOfOperation,
    isAboutOperation: speaksOfOperation || !speaksOfField,
    asksByField:
      match.field !== undefined &&
      document.permit !== true &&
      (document.authority === undefined || details.required !== false),
    require: requireFrom(document.require, controlOf),
    authorityRequired: details.required ?? true,
    authoritySources: details.sources ?? null,
    attestedBy: details.attestedBy === undefined ? null : controlOf(details.attestedBy),
    confirmedBy: details.confirmedBy === undefined ? null : controlOf(details.confirmedBy),
    different: document.different ?? null,
    requesterRequired: document.requester === 'required',
    permit: document.permit === true,
    compare: document.compare ?? null,
    mode: modeFrom(document),
    conditionReadsValues: condition?.readsValues ?? false,
    readsFacts: Object.freeze((condition?.factsControls ?? []).map(controlOf)),
    when: condition?.evaluate ?? null,
    times: condition?.times ?? [],
  });
}

function workflowFrom(
  document: WorkflowDocument,
  profiles: ReadonlyMap<string, Profile>,
  controlOf: ControlOf,
): Workflow {
  const ids = [...new Set(document.profiles ?? [])].sort();
  return Object.freeze({
    id: document.id,
    ref: `workflow:${document.id}`,
    profiles: Object.freeze(ids.map((id) => profiles.get(id)!)),
    require: requireFrom(document.require, controlOf),
    mode: modeFrom(document),
  });
}

function requireFrom(
  require: readonly Requirement[] | undefined,
  controlOf: ControlOf,
): readonly RequiredControl[] {
  const required = (require ?? []).map((requirement) =>
    Object.freeze(
      typeof requirement === 'string'
        ? { control: controlOf(requirement), promotedFrom: null }
        : { control: controlOf(requirement.control), promotedFrom: requirement.promotedFrom ?? null },
    ),
  );
  return Object.freeze(required);
}

function modeFrom(document: { readonly writePolicy?: WritePolicy; readonly observeUntil?: string }): Mode {
  const until = document.observeUntil === undefined ? null : parseInstant(document.observeUntil);
  return Object.freeze({ writePolicy: document.writePolicy ?? 'enforce', observeUntilMs: until?.ms ?? null });
}

/** The snapshot of a workspace that never applied a bundle: a person may approve any control. */
export const EMPTY_SNAPSHOT: PolicySnapshot = allSteps(buildSteps([], () => null, null, FIRST_REVIEW_RULE));

/** The same for engines 1 and 2, for deciding their records again. */
export const EMPTY_SNAPSHOT_BEFORE_REVIEWS: PolicySnapshot = allSteps(buildSteps([], () => null, null));
