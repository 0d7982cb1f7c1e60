/**
 * Finds out what applies to an intent: the workflow, the profiles, the controls they require, and in which mode. The
 * lists of a snapshot are frozen, and on those a loop by index is several times faster than any other.
 */
import type { DiagnosePromotion, WriteIntent, WritePolicy } from '@writecheck/contract';
import { modeAt, stricterMode } from './modes.ts';
import { newConditionBudget } from './policy/condition-budget.ts';
import type { Control, Mode, PolicySnapshot, Profile, RequiredControl, Workflow } from './policy/snapshot.ts';

/** A control that must be satisfied, with everyone who asks for it. */
export interface ResolvedRequirement {
  readonly control: Control;
  readonly sources: string[];
  /** The strictest mode among its sources. */
  mode: WritePolicy;
  promotedFrom: DiagnosePromotion | null;
}

export interface Resolution {
  /** The registered workflow that the intent names. */
  readonly workflow: Workflow | null;
  /** Set where the intent names a workflow that is not registered. */
  readonly unregisteredWorkflowId: string | null;
  /** Those that apply, in order of id. */
  readonly profiles: readonly Profile[];
  /** Those that apply because their condition could not be evaluated. */
  readonly erredProfiles: readonly Profile[];
  /** The strictest mode of `erredProfiles`. */
  readonly errorMode: WritePolicy;
  /** The request's, then the workflow's, then the profiles' by id; each control once. */
  readonly requirements: readonly ResolvedRequirement[];
  /** The strictest mode of all sources that apply. */
  readonly writePolicy: WritePolicy;
  /** Whether any source that applies only observes. */
  readonly observeMode: boolean;
  /** When the first of those begins to enforce. */
  readonly observesUntilMs: number;
}

const NO_PROFILES: readonly Profile[] = [];

export function resolveRequirements(
  intent: WriteIntent,
  snapshot: PolicySnapshot,
  nowMs: number,
): Resolution {
  const { workflowId } = intent;
  const workflow = workflowId === undefined ? null : (snapshot.workflows.get(workflowId) ?? null);
  const { profiles, erredProfiles } = applyingProfiles(intent, snapshot, workflow, nowMs);

  const requirements = new Requirements();
  let writePolicy: WritePolicy = 'observe';
  let observeMode = false;
  let observesUntilMs = Number.POSITIVE_INFINITY;
  const observe = (mode: Mode) => {
    observeMode = true;
    if (mode.observeUntilMs !== null && mode.observeUntilMs < observesUntilMs)
      observesUntilMs = mode.observeUntilMs;
  };
  const requested = intent.requiredControls;
  if (requested !== undefined && requested.length > 0) {
    for (const id of requested) requirements.add(snapshot.controlOf(id), 'request', 'enforce', null);
    writePolicy = 'enforce';
  }
  if (workflow !== null) {
    const mode = modeAt(workflow.mode, nowMs);
    requirements.addAll(workflow.require, workflow.ref, mode);
    writePolicy = stricterMode(writePolicy, mode);
    if (mode === 'observe') observe(workflow.mode);
  }
  for (let index = 0; index < profiles.length; index += 1) {
    const profile = profiles[index]!;
    const mode = modeAt(profile.mode, nowMs);
    requirements.addAll(profile.require, profile.ref, mode);
    writePolicy = stricterMode(writePolicy, mode);
    if (mode === 'observe') observe(profile.mode);
  }
  if (workflow === null && profiles.length === 0) {
    writePolicy = stricterMode(writePolicy, modeAt(snapshot.defaultMode, nowMs));
    if (writePolicy === 'observe') observe(snapshot.defaultMode);
  }

  let errorMode: WritePolicy = 'observe';
  for (const profile of erredProfiles) errorMode = stricterMode(errorMode, modeAt(profile.mode, nowMs));

  return {
    workflow,
    unregisteredWorkflowId: workflow === null ? (workflowId ?? null) : null,
    profiles,
    erredProfiles,
    errorMode,
    requirements: requirements.list,
    writePolicy,
    observeMode,
    observesUntilMs,
  };
}

/** From so many requirements on a map finds them faster than looking through the list. */
const MAP_FROM = 16;

/** Collects requirements in order, each control once, with all its sources and the strictest of their modes. */
class Requirements {
  readonly list: ResolvedRequirement[] = [];
  #byId: Map<string, ResolvedRequirement> | null = null;

  add(control: Control, source: string, mode: WritePolicy, promotedFrom: DiagnosePromotion | null): void {
    const known = this.#find(control.id);
    if (known === undefined) {
      const requirement = { control, sources: [source], mode, promotedFrom };
      this.list.push(requirement);
      if (this.#byId !== null) this.#byId.set(control.id, requirement);
      else if (this.list.length === MAP_FROM)
        this.#byId = new Map(this.list.map((one) => [one.control.id, one]));
      return;
    }
    if (!known.sources.includes(source)) known.sources.push(source);
    known.mode = stricterMode(known.mode, mode);
    known.promotedFrom ??= promotedFrom;
  }

  addAll(required: readonly RequiredControl[], source: string, mode: WritePolicy): void {
    for (let index = 0; index < required.length; index += 1) {
      const { control, promotedFrom } = required[index]!;
      this.add(control, source, mode, promotedFrom);
    }
  }

  #find(controlId: string): ResolvedRequirement | undefined {
    if (this.#byId !== null) return this.#byId.get(controlId);
    for (let index = 0; index < this.list.length; index += 1) {
      const requirement = this.list[index]!;
      if (requirement.control.id === controlId) return requirement;
    }
    return undefined;
  }
}

/** The matching profiles that no condition skips, and the workflow's own whatever their match and condition say. */
function applyingProfiles(
  intent: WriteIntent,
  snapshot: PolicySnapshot,
  workflow: Workflow | null,
  nowMs: number,
): Pick<Resolution, 'profiles' | 'erredProfiles'> {
  const matching = snapshot.matchingProfiles(intent);
  const named = workflow === null ? NO_PROFILES : workflow.profiles;
  if (named.length === 0 && !haveCondition(matching))
    return { profiles: matching, erredProfiles: NO_PROFILES };

  const profiles = [...named];
  const erredProfiles: Profile[] = [];
  const budget = newConditionBudget();
  for (const profile of matching) {
    if (named.includes(profile)) continue;
    const result = profile.when === null ? 'applies' : profile.when(intent, nowMs, budget);
    if (result !== 'skips') profiles.push(profile);
    if (result === 'error') erredProfiles.push(profile);
  }
  if (named.length > 0) profiles.sort((a, b) => (a.id < b.id ? -1 : 1));
  return { profiles, erredProfiles };
}

function haveCondition(profiles: readonly Profile[]): boolean {
  for (let index = 0; index < profiles.length; index += 1) if (profiles[index]!.when !== null) return true;
  return false;
}
