/**
 * Checks that every workflow requires at least what it required before. A workflow lifts nothing, so adding to one
 * never loosens.
 */
import type { DefaultsDocument, ProfileDocument, WorkflowDocument } from '../policy/documents.ts';
import { quoted } from '../policy/faults.ts';
import {
  blocks,
  compareModes,
  describeMode,
  enforcesNoLater,
  isWeakerMode,
  type Moded,
  onlyWatches,
} from './compare-modes.ts';
import { compareRequirements } from './compare-profiles.ts';
import { type Finding, type Findings, findingsAbout } from './findings.ts';

type ProfilesById = ReadonlyMap<string, ProfileDocument>;

export function compareWorkflows(
  before: readonly WorkflowDocument[],
  after: readonly WorkflowDocument[],
  profilesBefore: ProfilesById,
  profilesAfter: ProfilesById,
  defaultsBefore: DefaultsDocument,
  list: Finding[],
): void {
  const next = new Map(after.map((workflow) => [workflow.id, workflow]));
  for (const old of before) {
    const findings = findingsAbout(list, 'Workflow', old.id);
    const kept = next.get(old.id);
    next.delete(old.id);
    if (kept === undefined) findings.loosens('', `the workflow ${quoted(old.id)} was removed`);
    else compareWorkflow(old, kept, profilesBefore, profilesAfter, defaultsBefore, findings);
  }
  for (const workflow of next.values()) {
    judgeNewWorkflow(workflow, defaultsBefore, findingsAbout(list, 'Workflow', workflow.id));
  }
}

/** Intents that name a workflow pass only if it is registered; that it only observes is a separate finding. */
function judgeNewWorkflow(workflow: WorkflowDocument, defaults: Moded, findings: Findings): void {
  findings.tightens('', `the workflow ${quoted(workflow.id)} is registered now`);
  const mode = describeMode(workflow);
  if (workflow.writePolicy === 'observe') {
    findings.loosens('/writePolicy', `it is new and its mode is ${mode}; intents that name it were enforced`);
  } else if (isWeakerMode(workflow, defaults)) {
    findings.loosens('/writePolicy', `it is new and its mode ${mode} is weaker than the default's`);
  }
}

function compareWorkflow(
  before: WorkflowDocument,
  after: WorkflowDocument,
  profilesBefore: ProfilesById,
  profilesAfter: ProfilesById,
  defaults: DefaultsDocument,
  findings: Findings,
): void {
  // It is registered in any mode; beyond that, a workflow that only observes decides nothing.
  if (onlyWatches(before) && onlyWatches(after)) return;
  compareModes(before, after, findings);
  if (onlyWatches(after)) return;
  const isSooner = !enforcesNoLater(before, after);
  if (isSooner) judgeSoonerWorkflow(after, defaults, findings);
  compareRequirements(before.require, after.require, findings);
  const named = ({ profiles = [] }: WorkflowDocument, byId: ProfilesById) =>
    new Map(profiles.flatMap((id) => (byId.has(id) ? [[id, byId.get(id)!]] : [])));
  const old = named(before, profilesBefore);
  const next = named(after, profilesAfter);
  for (const id of old.keys()) {
    if (!next.has(id)) findings.loosens('/profiles', `the profile ${quoted(id)} no longer applies to it`);
  }
  for (const [id, profile] of next) {
    const was = old.get(id);
    if (was === undefined || isSooner || !enforcesNoLater(was, profile))
      findings.tightens('/profiles', `the profile ${quoted(id)} now applies to it regardless of its match`);
  }
}

/** The workflow did not apply before the time from which its old form would have enforced. */
function judgeSoonerWorkflow(after: WorkflowDocument, defaults: DefaultsDocument, findings: Findings): void {
  if (blocks(defaults) && !blocks(after)) {
    const message = `if it newly applies, ${describeMode(after)} replaces the default ${describeMode(defaults)}`;
    findings.loosens('/writePolicy', message);
  }
}
