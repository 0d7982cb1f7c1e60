/**
 * Finds what applies to an intent: the workflow, the profiles, the controls they require, and in which mode. The
 * lists of a snapshot are frozen, and on those a loop by index takes half the time of `for of`: `npm run bench -- micro`,
 * case `resolve-requirements`.
 */
import type { WriteIntent, WritePolicy } from '@writecheck/contract';
import { Requirements, type ResolvedRequirement } from './collect-requirements.ts';
import { newConditionBudget } from './conditions/budget.ts';
import { asEnforced, modeAt, observesAt, stricterMode } from './modes.ts';
import type { Mode, PolicySnapshot, Profile, Workflow } from './policy/snapshot.ts';

/** What applies to an intent under one reading of the modes. */
export interface Reading {
  /** In order of id. */
  readonly profiles: readonly Profile[];
  /** Profiles that apply because their condition could not be evaluated. */
  readonly erredProfiles: readonly Profile[];
  /** Whether other authority or another value could change what applies, because a condition reads them. */
  readonly readsValues: boolean;
  /** The first of `profiles` that permits; it counts as a required control that is satisfied. */
  readonly permit: Profile | null;
  /** The request's, then the workflow's, then the profiles' by id; each control once. */
  readonly requirements: readonly ResolvedRequirement[];
  /** Whether no profile and no workflow applies. */
  readonly isUncovered: boolean;
  /** The mode of what no source requires. */
  readonly defaultPolicy: WritePolicy;
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
  /** Of both readings together. */
  readonly requirements: readonly ResolvedRequirement[];
  /** What decides: as if no observing profile or workflow existed. */
  readonly enforced: Reading;
  /** What would decide if everything enforced; the same object if nothing observes. */
  readonly evaluated: Reading;
  /** Whether something observed applies: a profile, a workflow, or the default. */
  readonly observeMode: boolean;
  /** When the first of those begins to enforce. */
  readonly observesUntilMs: number;
}

type Applying = Pick<Reading, 'profiles' | 'erredProfiles' | 'readsValues'>;

const NO_PROFILES: readonly Profile[] = [];
const NO_CONTROLS: readonly string[] = [];

export function resolveRequirements(
  intent: WriteIntent,
  snapshot: PolicySnapshot,
  nowMs: number,
): Resolution {
  const { workflowId, requiredControls } = intent;
  const workflow = workflowId === undefined ? null : (snapshot.workflows.get(workflowId) ?? null);
  const matching = snapshot.matchingProfiles(intent);
  const named = workflow === null ? NO_PROFILES : workflow.profiles;
  const workflowObserves = workflow !== null && observesAt(workflow.mode, nowMs);
  const requests = requiredControls !== undefined && requiredControls.length > 0;
  const differ = workflowObserves || anyObserves(matching, nowMs) || anyObserves(named, nowMs);

  const all = applyingProfiles(intent, matching, named, nowMs);
  const requirements = requirementsOf(intent, snapshot, workflow, all.profiles);
  const defaultPolicy = modeAt(snapshot.defaultMode, nowMs);
  let enforced: Reading;
  if (differ) {
    const ownWorkflow = workflowObserves ? null : workflow;
    // INVARIANT: each reading has its own condition budget; an observed condition never starves one that decides.
    const enforcing = applyingProfiles(
      intent,
      enforcingOf(matching, nowMs),
      ownWorkflow === null ? NO_PROFILES : enforcingOf(named, nowMs),
      nowMs,
    );
    const own = requirementsOf(intent, snapshot, ownWorkflow, enforcing.profiles);
    enforced = readingOf(enforcing, ownWorkflow, own, requests, defaultPolicy, nowMs);
  } else enforced = readingOf(all, workflow, requirements, requests, defaultPolicy, nowMs);
  const defaultObserves = defaultPolicy === 'observe' && enforced.isUncovered;
  const evaluated =
    differ || defaultObserves
      ? readingOf(all, workflow, requirements, requests, asEnforced(defaultPolicy), nowMs)
      : enforced;
  const profiles = differ ? union(all.profiles, enforced.profiles) : all.profiles;

  const modes: Mode[] = [];
  if (workflowObserves) modes.push(workflow.mode);
  if (differ) for (const { mode } of profiles) if (observesAt(mode, nowMs)) modes.push(mode);
  const isDefaultAsked = !requests || snapshot.unmatchedPauses(intent);
  if (defaultObserves && isDefaultAsked) modes.push(snapshot.defaultMode);
  return {
    workflow,
    unregisteredWorkflowId: workflow === null ? (workflowId ?? null) : null,
    profiles,
    requirements:
      profiles === all.profiles ? requirements : requirementsOf(intent, snapshot, workflow, profiles),
    enforced,
    evaluated,
    observeMode: modes.length > 0,
    observesUntilMs: firstEnd(modes),
  };
}

function requirementsOf(
  { requiredControls = NO_CONTROLS }: WriteIntent,
  snapshot: PolicySnapshot,
  workflow: Workflow | null,
  profiles: readonly Profile[],
): readonly ResolvedRequirement[] {
  const requirements = new Requirements();
  for (const id of requiredControls) requirements.add(snapshot.controlOf(id), 'request', null);
  if (workflow !== null) requirements.addAll(workflow.require, workflow.ref);
  for (let index = 0; index < profiles.length; index += 1)
    requirements.addAll(profiles[index]!.require, profiles[index]!.ref);
  return requirements.list;
}

function readingOf(
  { profiles, erredProfiles, readsValues }: Applying,
  workflow: Workflow | null,
  requirements: readonly ResolvedRequirement[],
  requests: boolean,
  defaultPolicy: WritePolicy,
  nowMs: number,
): Reading {
  const isUncovered = workflow === null && profiles.length === 0;
  let writePolicy: WritePolicy = isUncovered && !requests ? 'observe' : 'enforce';
  if (isUncovered) writePolicy = stricterMode(writePolicy, defaultPolicy);
  // Everything that applies in a reading enforces in it.
  if (workflow !== null) writePolicy = stricterMode(writePolicy, modeAt(workflow.mode, nowMs));
  let permit: Profile | null = null;
  for (let index = 0; index < profiles.length; index += 1) {
    const profile = profiles[index]!;
    writePolicy = stricterMode(writePolicy, modeAt(profile.mode, nowMs));
    if (profile.permit) permit ??= profile;
  }
  return {
    profiles,
    erredProfiles,
    readsValues,
    permit,
    requirements,
    isUncovered,
    defaultPolicy,
    writePolicy,
  };
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
): Applying {
  if (named.length === 0 && !haveCondition(matching))
    return { profiles: matching, erredProfiles: NO_PROFILES, readsValues: false };

  const profiles = [...named];
  const erredProfiles: Profile[] = [];
  let readsValues = named.some((profile) => profile.conditionReadsValues);
  const budget = newConditionBudget();
  for (const profile of matching) {
    if (named.includes(profile)) continue;
    const result = profile.when === null ? 'applies' : profile.when(intent, nowMs, budget);
    if (result !== 'skips') profiles.push(profile);
    // A profile that was skipped because the intent omits a path may apply once the path is supplied.
    if (profile.conditionReadsValues && (result !== 'skips' || profile.skipsAbsent)) readsValues = true;
    if (result === 'error') erredProfiles.push(profile);
  }
  if (named.length > 0) profiles.sort(byId);
  return { profiles, erredProfiles, readsValues };
}

function haveCondition(profiles: readonly Profile[]): boolean {
  for (let index = 0; index < profiles.length; index += 1) if (profiles[index]!.when !== null) return true;
  return false;
}
