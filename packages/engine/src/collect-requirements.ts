/** Collects the controls that must be satisfied, each once, with every source that requires it. */
import type { DiagnosePromotion, EvidenceItem, WriteIntent } from '@writecheck/contract';
import type { JudgedLimit } from './apply-limits.ts';
import { REQUIREMENTS_ON_INTENT_MAX, RULES_ON_INTENT_MAX } from './intent-limits.ts';
import type { Control, PolicySnapshot, Profile, RequiredControl, Workflow } from './policy/snapshot.ts';

/** A control that must be satisfied, with every source that requires it. */
export interface ResolvedRequirement {
  readonly control: Control;
  readonly sources: string[];
  promotedFrom: DiagnosePromotion | null;
}

/** Too much applies to one intent for it to be decided whole. */
export interface Excess {
  readonly of: 'rules' | 'requirements';
  readonly count: number;
}

interface Collected {
  readonly requirements: readonly ResolvedRequirement[];
  /** If set, the requirements are only those that could block. */
  readonly excess: Excess | null;
}

/** Requires controls under a name that provenance shows. */
interface Source {
  readonly ref: string;
  readonly require: readonly RequiredControl[];
}

const NO_CONTROLS: readonly string[] = [];
const NO_ITEMS: readonly EvidenceItem[] = [];

/** What the request, the workflow, the profiles and the limits that the write exceeds require, in this order. */
export function collectRequirements(
  { requiredControls = NO_CONTROLS, controlEvidence = NO_ITEMS }: WriteIntent,
  snapshot: PolicySnapshot,
  workflow: Workflow | null,
  profiles: readonly Profile[],
  limits: readonly JudgedLimit[],
): Collected {
  const sources: Source[] = [];
  if (workflow !== null) sources.push(workflow);
  for (let index = 0; index < profiles.length; index += 1) sources.push(profiles[index]!);
  for (const { code, limit } of limits) if (code !== null) sources.push(limit);
  // What the caller requires is not counted: it is little, and no operator could make it less.
  const excess = excessOf(profiles.length + (workflow === null ? 0 : 1), sources);
  if (requiredControls.length > 0) {
    const require = requiredControls.map((id) => ({ control: snapshot.controlOf(id), promotedFrom: null }));
    sources.unshift({ ref: 'request', require });
  }
  if (excess !== null) return { requirements: whatMayBlock(controlEvidence, sources), excess };
  const requirements = new Requirements();
  for (let index = 0; index < sources.length; index += 1) requirements.addAll(sources[index]!);
  return { requirements: requirements.list, excess: null };
}

function excessOf(rules: number, sources: readonly Source[]): Excess | null {
  if (rules > RULES_ON_INTENT_MAX) return { of: 'rules', count: rules };
  let count = 0;
  for (let index = 0; index < sources.length; index += 1) count += sources[index]!.require.length;
  return count > REQUIREMENTS_ON_INTENT_MAX ? { of: 'requirements', count } : null;
}

/** A map finds requirements once there are this many: searching the list would take quadratic time. */
const MAP_FROM = 16;

class Requirements {
  readonly list: ResolvedRequirement[] = [];
  #byId: Map<string, ResolvedRequirement> | null = null;

  addAll({ require, ref }: Source): void {
    for (let index = 0; index < require.length; index += 1) {
      const { control, promotedFrom } = require[index]!;
      this.#add(control, ref, promotedFrom);
    }
  }

  #add(control: Control, source: string, promotedFrom: DiagnosePromotion | null): void {
    const known = this.#find(control.id);
    if (known === undefined) {
      const requirement = { control, sources: [source], promotedFrom };
      this.list.push(requirement);
      if (this.#byId !== null) this.#byId.set(control.id, requirement);
      else if (this.list.length === MAP_FROM)
        this.#byId = new Map(this.list.map((one) => [one.control.id, one]));
      return;
    }
    // A source adds all of its controls at once, so only the last one can be there already.
    if (known.sources[known.sources.length - 1] !== source) known.sources.push(source);
    known.promotedFrom ??= promotedFrom;
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

/**
 * The controls that have evidence, and the first one without evidence that blocks, each with its first source.
 * INVARIANT: they block if and only if all required controls together would, and for the same reason.
 */
function whatMayBlock(
  items: readonly EvidenceItem[],
  sources: readonly Source[],
): readonly ResolvedRequirement[] {
  const withEvidence = new Set(items.map(({ controlId }) => controlId));
  const found = new Map<string, ResolvedRequirement>();
  let hasUnmet = false;
  for (const { ref, require } of sources)
    for (let index = 0; index < require.length; index += 1) {
      const { control, promotedFrom } = require[index]!;
      const hasEvidence = withEvidence.has(control.id);
      if (hasEvidence ? found.has(control.id) : hasUnmet || control.onUnmet !== 'block') continue;
      if (!hasEvidence) hasUnmet = true;
      found.set(control.id, { control, sources: [ref], promotedFrom });
    }
  return [...found.values()];
}

/** Those of one reading, then those that only the other one has. */
export function requirementsOfBoth(
  some: readonly ResolvedRequirement[],
  more: readonly ResolvedRequirement[],
): readonly ResolvedRequirement[] {
  if (some === more) return some;
  const known = new Set(some.map(({ control }) => control.id));
  return [...some, ...more.filter(({ control }) => !known.has(control.id))];
}
