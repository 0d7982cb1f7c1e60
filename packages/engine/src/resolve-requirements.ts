/**
 * Finds what applies to an intent: the workflow, the profiles, the controls they require, and in which mode. The
 * lists of a snapshot are frozen, and on those a loop by index takes half the time of `for of`: `npm run bench -- micro`,
 * case `resolve-requirements`.
 */
import type { WriteIntent, WritePolicy } from '@writecheck/contract';
import { factsReadBy, type JudgedLimit } from './apply-limits.ts';
import {
  collectRequirements,
  type Excess,
  type ResolvedRequirement,
  requirementsOfBoth,
} from './collect-requirements.ts';
import { newConditionBudget } from './conditions/budget.ts';
import type { FactsOf } from './conditions/compiled-condition.ts';
import { type Cover, coverOf, givesControl, isWhole, mayPermit } from './cover.ts';
import { asEnforced, modeAt, observesAt, stricterMode } from './modes.ts';
import type { Control, Mode, PolicySnapshot, Profile, Workflow } from './policy/snapshot.ts';

/** What applies to an intent under one reading of the modes. */
export interface ModeReading {
  /** Ordered by id. */
  readonly profiles: readonly Profile[];
  /** Profiles that apply because their condition could not be evaluated. */
  readonly erredProfiles: readonly Profile[];
  /** Whether other authority or another value could change what applies, because a condition reads them. */
  readonly readsValues: boolean;
  /** The controls whose facts an evaluated condition names, in order of id. */
  readonly readsFacts: readonly Control[];
  readonly cover: Cover;
  /** The first of `profiles` that permits; it counts as a required control that is satisfied. */
  readonly permit: Profile | null;
  /** The request's, then the workflow's, then the profiles' by id; each control once. */
  readonly requirements: readonly ResolvedRequirement[];
  /** Set if too much applies: then `requirements` are only those that could block. */
  readonly excess: Excess | null;
  /** Whether nothing is required, so that authority must be shown. */
  readonly isNothingRequired: boolean;
  /** Whether the intent is not covered, and the workspace pauses such intents. */
  readonly isUnmatched: boolean;
  /** Set if the intent names a workflow that is neither registered nor only a label. */
  readonly unknownWorkflowId: string | null;
  /** The limits that apply, by id. */
  readonly limits: readonly JudgedLimit[];
  /** The mode for a control that no source requires. */
  readonly defaultPolicy: WritePolicy;
  /** The strictest mode of the workflow and profiles that apply; null if none with a mode does. */
  readonly modeOfSources: WritePolicy | null;
  /** The mode of the authority gate. */
  readonly writePolicy: WritePolicy;
}

export interface Resolution {
  /** The registered workflow that the intent names, in any mode. */
  readonly workflow: Workflow | null;
  /** Set if the intent names a workflow that is not registered. */
  readonly unregisteredWorkflowId: string | null;
  /** Profiles that apply in either reading, in order of id. */
  readonly profiles: readonly Profile[];
  /** The requirements of both readings together. */
  readonly requirements: readonly ResolvedRequirement[];
  /** The controls whose facts a condition of either reading names, in order of id. */
  readonly readsFacts: readonly Control[];
  /** The reading that decides: as if no observing profile or workflow existed. */
  readonly enforced: ModeReading;
  /** What would decide if everything enforced; the same object if nothing observes. */
  readonly evaluated: ModeReading;
  /** Whether something observed applies: a profile, a workflow, or the default. */
  readonly observeMode: boolean;
  /** When the first of them begins to enforce. */
  readonly observesUntilMs: number;
}

interface Applying extends Pick<ModeReading, 'profiles' | 'erredProfiles' | 'readsValues' | 'readsFacts'> {
  readonly covering: readonly Profile[];
}

/** The rules of one reading. */
interface Rules extends Pick<ModeReading, 'requirements' | 'excess'> {
  readonly applying: Applying;
  readonly workflow: Workflow | null;
  readonly limits: readonly JudgedLimit[];
  readonly defaultPolicy: WritePolicy;
  /** No profile or workflow is registered in this reading, so the caller governs itself. */
  readonly hasNoRules: boolean;
}

const NO_PROFILES: readonly Profile[] = [];
const NO_LIMITS: readonly JudgedLimit[] = [];
const READS_NONE: readonly Control[] = [];
const NO_FACTS: FactsOf = () => null;

export function resolveRequirements(
  intent: WriteIntent,
  snapshot: PolicySnapshot,
  nowMs: number,
  facts: FactsOf = NO_FACTS,
  limits: readonly JudgedLimit[] = NO_LIMITS,
): Resolution {
  const { workflowId } = intent;
  const workflow = workflowId === undefined ? null : (snapshot.workflows.get(workflowId) ?? null);
  const matching = snapshot.matchingProfiles(intent);
  const named = workflow === null ? NO_PROFILES : workflow.profiles;
  const workflowObserves = workflow !== null && observesAt(workflow.mode, nowMs);
  const differ =
    workflowObserves ||
    limits.some(({ observes }) => observes) ||
    anyObserves(matching, nowMs) ||
    anyObserves(named, nowMs);

  const applying = applyingProfiles(intent, matching, named, nowMs, facts);
  const defaultPolicy = modeAt(snapshot.defaultMode, nowMs);
  const hasNoRules = nowMs < snapshot.rulesEnforceFromMs;
  const collected = collectRequirements(intent, snapshot, workflow, applying.profiles, limits);
  const { requirements } = collected;
  const all: Rules = { ...collected, applying, workflow, limits, defaultPolicy, hasNoRules };
  const own = differ ? enforcingOnly(intent, snapshot, all, matching, workflowObserves, nowMs, facts) : all;
  const read = readingOf(intent, snapshot, own);
  const readsFacts = withLimitFacts(read.readsFacts, intent, snapshot, limits, nowMs, true);
  const enforced = readsFacts === read.readsFacts ? read : { ...read, readsFacts };
  const defaultObserves = defaultPolicy === 'observe' && isDefaultAsked(enforced);
  let evaluated: ModeReading = enforced;
  if (differ || defaultObserves || (hasNoRules && snapshot.hasRules)) {
    const asIfEnforced = { defaultPolicy: asEnforced(defaultPolicy), hasNoRules: !snapshot.hasRules };
    evaluated = readingOf(intent, snapshot, { ...all, ...asIfEnforced });
  }
  const profiles = differ ? union(applying.profiles, enforced.profiles) : applying.profiles;

  const modes: Mode[] = [];
  if (workflowObserves) modes.push(workflow.mode);
  for (const { observes, limit } of limits) if (observes) modes.push(limit.mode);
  if (differ) for (const { mode } of profiles) if (observesAt(mode, nowMs)) modes.push(mode);
  if (defaultObserves && (enforced.isUnmatched || enforced.writePolicy === 'observe'))
    modes.push(snapshot.defaultMode);
  return {
    workflow,
    unregisteredWorkflowId: workflow === null ? (workflowId ?? null) : null,
    profiles,
    requirements:
      all.excess !== null
        ? requirementsOfBoth(enforced.requirements, requirements)
        : profiles === applying.profiles
          ? requirements
          : collectRequirements(intent, snapshot, workflow, profiles, limits).requirements,
    readsFacts: withLimitFacts(applying.readsFacts, intent, snapshot, limits, nowMs, false),
    enforced,
    evaluated,
    observeMode: modes.length > 0,
    // The first enforcing rule ends the time in which callers without rules decide for themselves.
    observesUntilMs: hasNoRules ? Math.min(firstEnd(modes), snapshot.rulesEnforceFromMs) : firstEnd(modes),
  };
}

/** Whether the default mode affects how the intent is decided. */
function isDefaultAsked({ cover, modeOfSources }: ModeReading): boolean {
  return modeOfSources === null || !cover.isCovered;
}

/** Leaves out rules that only observe. */
function enforcingOnly(
  intent: WriteIntent,
  snapshot: PolicySnapshot,
  all: Rules,
  matching: readonly Profile[],
  workflowObserves: boolean,
  nowMs: number,
  facts: FactsOf,
): Rules {
  const workflow = workflowObserves ? null : all.workflow;
  const named = workflow === null ? NO_PROFILES : enforcingOf(workflow.profiles, nowMs);
  // INVARIANT: each reading has its own condition budget; an observed condition never starves one that decides.
  const applying = applyingProfiles(intent, enforcingOf(matching, nowMs), named, nowMs, facts);
  const limits = all.limits.filter(({ observes }) => !observes);
  const collected = collectRequirements(intent, snapshot, workflow, applying.profiles, limits);
  return { ...all, ...collected, applying, workflow, limits };
}

function readingOf(intent: WriteIntent, snapshot: PolicySnapshot, rules: Rules): ModeReading {
  const { applying, requirements, excess, workflow, limits, defaultPolicy, hasNoRules } = rules;
  const { profiles, covering, erredProfiles, readsValues, readsFacts } = applying;
  const requests = intent.requiredControls !== undefined && intent.requiredControls.length > 0;
  const cover = coverOf(intent, covering);
  // Everything that applies in a reading enforces in it. A permit has no mode.
  let modeOfSources = workflow === null ? null : asEnforced(workflow.mode.writePolicy);
  let permit: Profile | null = null;
  for (let index = 0; index < profiles.length; index += 1) {
    const profile = profiles[index]!;
    if (profile.permit) permit ??= profile;
    else modeOfSources = stricterMode(modeOfSources ?? 'enforce', asEnforced(profile.mode.writePolicy));
  }
  let writePolicy = modeOfSources ?? (requests ? 'enforce' : 'observe');
  if (modeOfSources === null || !cover.isCovered) writePolicy = stricterMode(writePolicy, defaultPolicy);
  return {
    profiles,
    erredProfiles,
    readsValues,
    readsFacts,
    cover,
    permit,
    requirements,
    excess,
    isNothingRequired: hasNoRules ? !requests : !cover.isCovered || !givesControl(cover),
    isUnmatched: !cover.isCovered && snapshot.unmatchedPauses(intent),
    unknownWorkflowId: unknownWorkflow(intent, snapshot, hasNoRules && !requests),
    limits,
    defaultPolicy,
    modeOfSources,
    writePolicy,
  };
}

/** If no workflow is registered, a workflow is only a label, unless nothing at all says what the write requires. */
function unknownWorkflow(
  { workflowId }: WriteIntent,
  { workflows }: PolicySnapshot,
  saysNothing: boolean,
): string | null {
  if (workflowId === undefined || workflows.has(workflowId)) return null;
  return workflows.size > 0 || saysNothing ? workflowId : null;
}

function enforcingOf(profiles: readonly Profile[], nowMs: number): readonly Profile[] {
  return profiles.filter(({ mode }) => !observesAt(mode, nowMs));
}

function anyObserves(profiles: readonly Profile[], nowMs: number): boolean {
  for (let index = 0; index < profiles.length; index += 1)
    if (observesAt(profiles[index]!.mode, nowMs)) return true;
  return false;
}

/** Nearly always the first list: only a condition that finds its budget used up can apply in the second alone. */
function union(all: readonly Profile[], more: readonly Profile[]): readonly Profile[] {
  const missing = more.filter((profile) => !all.includes(profile));
  return missing.length === 0 ? all : [...all, ...missing].sort(byId);
}

function firstEnd(modes: readonly Mode[]): number {
  let firstMs = Number.POSITIVE_INFINITY;
  for (const { observeUntilMs } of modes)
    if (observeUntilMs !== null && observeUntilMs < firstMs) firstMs = observeUntilMs;
  return firstMs;
}

function byId(a: Profile, b: Profile): number {
  return a.id < b.id ? -1 : 1;
}

/** The matching profiles that no condition skips, and the named ones regardless of match and condition. */
function applyingProfiles(
  intent: WriteIntent,
  matching: readonly Profile[],
  named: readonly Profile[],
  nowMs: number,
  facts: FactsOf,
): Applying {
  if (named.length === 0 && !haveCondition(matching)) {
    const profiles = withoutIdlePermits(matching, intent);
    const covering = wholeOf(profiles, intent);
    return { profiles, covering, erredProfiles: NO_PROFILES, readsValues: false, readsFacts: READS_NONE };
  }

  const profiles = [...named];
  const covering: Profile[] = [];
  const erredProfiles: Profile[] = [];
  let readsValues = false;
  let read: Set<Control> | null = null;
  const budget = newConditionBudget();
  for (const profile of matching) {
    // INVARIANT: a condition that fails pauses, whether a workflow names its profile or its permit may not apply.
    const result = profile.when === null ? 'applies' : profile.when(intent, nowMs, budget, facts);
    const isIdle = profile.permit && (result === 'unreadable' || !mayPermit(profile, intent));
    const applies = result === 'error' || (result !== 'skips' && !isIdle);
    if (applies && !named.includes(profile)) profiles.push(profile);
    if (result === 'applies' && !isIdle && isWhole(profile, intent)) covering.push(profile);
    // An unreadable condition may become readable, and so apply or cover, once the values are supplied.
    if (profile.conditionReadsValues && result !== 'skips') readsValues = true;
    if (result === 'error') erredProfiles.push(profile);
    for (let index = 0; index < profile.readsFacts.length; index += 1) {
      read ??= new Set();
      read.add(profile.readsFacts[index]!);
    }
  }
  if (named.length > 0) profiles.sort(byId);
  const readsFacts = read === null ? READS_NONE : byIdOnce(read);
  return { profiles, covering, erredProfiles, readsValues, readsFacts };
}

/** The same list if no limit reads facts, which is nearly always true. */
function withLimitFacts(
  controls: readonly Control[],
  intent: WriteIntent,
  snapshot: PolicySnapshot,
  limits: readonly JudgedLimit[],
  nowMs: number,
  isEnforced: boolean,
): readonly Control[] {
  if (snapshot.limits.length === 0) return controls;
  const more = factsReadBy(intent, snapshot, limits, nowMs, isEnforced);
  return more.length === 0 ? controls : byIdOnce([...controls, ...more]);
}

/** Each once, in order of id. */
export function byIdOnce(controls: Iterable<Control>): readonly Control[] {
  const known = new Map<string, Control>();
  for (const control of controls) known.set(control.id, control);
  return [...known.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function withoutIdlePermits(profiles: readonly Profile[], intent: WriteIntent): readonly Profile[] {
  for (let index = 0; index < profiles.length; index += 1) {
    if (profiles[index]!.permit && !mayPermit(profiles[index]!, intent))
      return profiles.filter((profile) => !profile.permit || mayPermit(profile, intent));
  }
  return profiles;
}

/** The same list if all of it qualifies, which is nearly always true. */
function wholeOf(profiles: readonly Profile[], intent: WriteIntent): readonly Profile[] {
  for (let index = 0; index < profiles.length; index += 1)
    if (!isWhole(profiles[index]!, intent)) return profiles.filter((profile) => isWhole(profile, intent));
  return profiles;
}

function haveCondition(profiles: readonly Profile[]): boolean {
  for (let index = 0; index < profiles.length; index += 1) if (profiles[index]!.when !== null) return true;
  return false;
}
