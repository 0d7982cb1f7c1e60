/** Whether every workflow requires at least what it required before. */
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
import { asksForValues, compareRequirements, confirmsAuthority } from './compare-profiles.ts';
import { conditionTraits } from './condition-traits.ts';
import { type Finding, type Findings, findingsAbout } from './findings.ts';
import { hasRequirements } from './judge-reach.ts';

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

/** Only registration lets intents that name it pass at all; that they are only observed is a separate finding. */
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
  // It is known in any mode; beyond that, a workflow that only observes decides nothing.
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
    if (was === undefined || isSooner || !enforcesNoLater(was, profile)) judgeAddedProfile(profile, findings);
  }
  // Only profiles that enforce whenever the workflow does can be relied on.
  const inTime = (profiles: ReadonlyMap<string, ProfileDocument>) =>
    [...profiles.values()].filter((profile) => enforcesNoLater(profile, after));
  const required = !isSooner && [before, ...inTime(old)].some(hasRequirements);
  const requires = [after, ...next.values()].some(hasRequirements);
  if (!required && requires && !inTime(next).some(asksForValues)) {
    const message =
      'its requirements may be the first an intent has, which then no longer needs authority; name a profile with `authority: required` to keep that';
    findings.loosens('/require', message);
  }
}

/** Until its old form would have begun to enforce, it did not apply. */
function judgeSoonerWorkflow(after: WorkflowDocument, defaults: DefaultsDocument, findings: Findings): void {
  if (blocks(defaults) && !blocks(after)) {
    const message = `if it newly applies, ${describeMode(after)} replaces the default ${describeMode(defaults)}`;
    findings.loosens('/writePolicy', message);
  }
  if (defaults.unmatched !== undefined)
    findings.loosens('/writePolicy', 'it may now cover writes that paused because no rule covered them');
}

function judgeAddedProfile(profile: ProfileDocument, findings: Findings): void {
  const named = quoted(profile.id);
  if (profile.compare !== undefined) {
    findings.loosens(
      '/profiles',
      `the comparator of ${named} may treat values as equal that were not before`,
    );
  }
  if (confirmsAuthority(profile))
    findings.loosens('/profiles', `if ${named} newly applies, a person may confirm authority`);
  if (profile.when !== undefined && conditionTraits(profile.when).canErr) {
    findings.loosens(
      '/profiles',
      `the condition of ${named} is no longer evaluated; it could fail and pause the write`,
    );
  }
  findings.tightens('/profiles', `the profile ${named} now applies to it regardless of its match`);
}
