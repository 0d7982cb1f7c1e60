/** Finds out what applies to an intent: the workflow, the profiles, the controls they require, and in which mode. */
import type { DiagnosePromotion, WriteIntent, WritePolicy } from '@writecheck/contract';
import { modeAt, stricterMode } from './modes.ts';
import type { Control, PolicySnapshot, Profile, RequiredControl, Workflow } from './policy/snapshot.ts';

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
}

const NO_PROFILES: readonly Profile[] = [];

export function resolveRequirements(
  intent: WriteIntent,
  snapshot: PolicySnapshot,
  nowMs: number,
): Resolution {
  const workflowId = intent.workflowId;
  const workflow = workflowId === undefined ? null : (snapshot.workflows.get(workflowId) ?? null);
  const matching = snapshot.matchingProfiles(intent);
  const erredProfiles = erring(matching, intent, nowMs, workflow);
  const profiles = applying(matching, intent, nowMs, workflow);

  const requirements: ResolvedRequirement[] = [];
  const byId = new Map<string, ResolvedRequirement>();
  function add(required: RequiredControl | Control, source: string, mode: WritePolicy): void {
    const control = 'control' in required ? required.control : required;
    const promotedFrom = 'control' in required ? required.promotedFrom : null;
    const known = byId.get(control.id);
    if (known === undefined) {
      const requirement = { control, sources: [source], mode, promotedFrom };
      byId.set(control.id, requirement);
      requirements.push(requirement);
      return;
    }
    if (!known.sources.includes(source)) known.sources.push(source);
    known.mode = stricterMode(known.mode, mode);
    known.promotedFrom ??= promotedFrom;
  }

  let writePolicy: WritePolicy = 'observe';
  let observeMode = false;
  const requested = intent.requiredControls;
  const hasRequest = requested !== undefined && requested.length > 0;
  if (hasRequest) {
    for (const id of requested) add(snapshot.controlOf(id), 'request', 'enforce');
    writePolicy = 'enforce';
  }
  if (workflow !== null) {
    const mode = modeAt(workflow.mode, nowMs);
    for (const required of workflow.require) add(required, workflow.ref, mode);
    writePolicy = stricterMode(writePolicy, mode);
    observeMode = mode === 'observe';
  }
  for (const profile of profiles) {
    const mode = modeAt(profile.mode, nowMs);
    for (const required of profile.require) add(required, profile.ref, mode);
    writePolicy = stricterMode(writePolicy, mode);
    observeMode ||= mode === 'observe';
  }
  if (workflow === null && profiles.length === 0) {
    const mode = modeAt(snapshot.defaultMode, nowMs);
    writePolicy = stricterMode(writePolicy, mode);
    observeMode = writePolicy === 'observe';
  }

  let errorMode: WritePolicy = 'observe';
  for (const profile of erredProfiles) errorMode = stricterMode(errorMode, modeAt(profile.mode, nowMs));

  return {
    workflow,
    unregisteredWorkflowId: workflow === null ? (workflowId ?? null) : null,
    profiles,
    erredProfiles,
    errorMode,
    requirements,
    writePolicy,
    observeMode,
  };
}

/** The matching profiles whose condition does not skip the intent, and the workflow's own whatever they say. */
function applying(
  matching: readonly Profile[],
  intent: WriteIntent,
  nowMs: number,
  workflow: Workflow | null,
): readonly Profile[] {
  const matched = matching.every((profile) => profile.when === null)
    ? matching
    : matching.filter((profile) => profile.when === null || profile.when(intent, nowMs) !== 'skips');
  if (workflow === null || workflow.profiles.length === 0) return matched;
  const extra = workflow.profiles.filter((profile) => !matched.includes(profile));
  if (extra.length === 0) return matched;
  return [...matched, ...extra].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** A workflow's profiles apply whatever their condition says, so an error there is not asked about. */
function erring(
  matching: readonly Profile[],
  intent: WriteIntent,
  nowMs: number,
  workflow: Workflow | null,
): readonly Profile[] {
  if (matching.every((profile) => profile.when === null)) return NO_PROFILES;
  return matching.filter(
    (profile) =>
      profile.when !== null &&
      profile.when(intent, nowMs) === 'error' &&
      workflow?.profiles.includes(profile) !== true,
  );
}
