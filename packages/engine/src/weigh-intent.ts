/** Evaluates every gate of an intent, under the modes that decide and as if everything enforced. */
import type { AttestationFacts, EvidenceItem, WriteIntent } from '@writecheck/contract';
import { type AuthorityOutcome, evaluateAuthority } from './evaluate-authority.ts';
import { type EvaluatedControl, evaluateControl } from './evaluate-control.ts';
import { judge, type Verdict } from './judge-reading.ts';
import type { PolicySnapshot } from './policy/snapshot.ts';
import { type Reading, type Resolution, resolveRequirements } from './resolve-requirements.ts';

const NO_ITEMS: readonly EvidenceItem[] = [];

export interface Weighed {
  readonly intent: WriteIntent;
  readonly facts: readonly AttestationFacts[];
  readonly nowMs: number;
  readonly resolution: Resolution;
  /** Whether the intent pauses if nothing applies. */
  readonly unmatchedPauses: boolean;
  /** Null if the intent names none, or one that is known or only a label. */
  readonly unknownWorkflowId: string | null;
  /** Of both readings, in the order of `resolution.requirements`. */
  readonly controls: readonly EvaluatedControl[];
  /** The controls of the reading that decides. */
  readonly enforcedControls: readonly EvaluatedControl[];
  /** Of the reading that decides. */
  readonly authority: AuthorityOutcome;
  /** Of the reading in which everything enforces. */
  readonly evaluatedAuthority: AuthorityOutcome;
  readonly verdict: Verdict;
  /** The verdict if everything enforced. */
  readonly ideal: Verdict;
}

export function weighIntent(
  intent: WriteIntent,
  facts: readonly AttestationFacts[],
  snapshot: PolicySnapshot,
  nowMs: number,
): Weighed {
  const items = intent.controlEvidence ?? NO_ITEMS;
  const resolution = resolveRequirements(intent, snapshot, nowMs);
  const { enforced, evaluated } = resolution;
  const unmatchedPauses = (enforced.isUncovered || evaluated.isUncovered) && snapshot.unmatchedPauses(intent);
  const unknownWorkflowId = unknownWorkflow(intent, resolution, snapshot);
  const controls: EvaluatedControl[] = [];
  for (const { control } of resolution.requirements)
    controls.push(evaluateControl(control, items, facts, nowMs));
  const enforcedControls = controlsOf(enforced, resolution, controls);
  const found = { intent, unmatchedPauses, unknownWorkflowId };
  const authority = evaluateAuthority(intent, enforced, items, facts, nowMs);
  const verdict = judge(enforced, authority, enforcedControls, found);
  const isSame = evaluated === enforced;
  const evaluatedAuthority = isSame ? authority : evaluateAuthority(intent, evaluated, items, facts, nowMs);
  const ideal = isSame
    ? verdict
    : judge(evaluated, evaluatedAuthority, controlsOf(evaluated, resolution, controls), found);
  return {
    intent,
    facts,
    nowMs,
    resolution,
    unmatchedPauses,
    unknownWorkflowId,
    controls,
    enforcedControls,
    authority,
    evaluatedAuthority,
    verdict,
    ideal,
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

/**
 * An unregistered workflow is only a label if nothing could depend on it: the caller names its own controls and the
 * workspace has no workflow at all.
 */
function unknownWorkflow(
  { requiredControls }: WriteIntent,
  { unregisteredWorkflowId }: Resolution,
  { workflows }: PolicySnapshot,
): string | null {
  const isLabel = workflows.size === 0 && requiredControls !== undefined && requiredControls.length > 0;
  return isLabel ? null : unregisteredWorkflowId;
}
