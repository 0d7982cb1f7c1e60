/** Whether every workflow requires at least what it required before. */
import type { ProfileDocument, WorkflowDocument } from '../policy/documents.ts';
import { quoted } from '../policy/faults.ts';
import { compareModes, describeMode, isWeakerMode, type Moded } from './compare-modes.ts';
import { asksForValues, compareRequirements } from './compare-profiles.ts';
import { conditionTraits } from './condition-traits.ts';
import { type Finding, type Findings, findingsAbout } from './findings.ts';
import { hasRequirements } from './judge-reach.ts';

type ProfilesById = ReadonlyMap<string, ProfileDocument>;

export function compareWorkflows(
  before: readonly WorkflowDocument[],
  after: readonly WorkflowDocument[],
  profilesBefore: ProfilesById,
  profilesAfter: ProfilesById,
  defaultsBefore: Moded,
  list: Finding[],
): void {
  const next = new Map(after.map((workflow) => [workflow.id, workflow]));
  for (const old of before) {
    const findings = findingsAbout(list, 'Workflow', old.id);
    const kept = next.get(old.id);
    next.delete(old.id);
    if (kept === undefined) findings.loosens('', `the workflow ${quoted(old.id)} is gone`);
    else compareWorkflow(old, kept, profilesBefore, profilesAfter, findings);
  }
  for (const workflow of next.values()) {
    judgeNewWorkflow(workflow, defaultsBefore, findingsAbout(list, 'Workflow', workflow.id));
  }
}

/** Registering one is what lets intents that name it pass at all; that they are only watched is another matter. */
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
  findings: Findings,
): void {
  compareModes(before, after, findings);
  compareRequirements(before.require, after.require, findings);
  const old = new Set(before.profiles);
  const next = new Set(after.profiles);
  for (const id of old) {
    if (!next.has(id)) findings.loosens('/profiles', `the profile ${quoted(id)} no longer applies to it`);
  }
  for (const id of next) {
    if (!old.has(id)) judgeAddedProfile(profilesAfter.get(id)!, findings);
  }
  const named = (ids: ReadonlySet<string>, profiles: ProfilesById) => [...ids].map((id) => profiles.get(id)!);
  const required = [before, ...named(old, profilesBefore)].some(hasRequirements);
  const requires = [after, ...named(next, profilesAfter)].some(hasRequirements);
  if (!required && requires && !named(next, profilesAfter).some(asksForValues)) {
    const message =
      'its requirements may be the first an intent has, which then no longer needs authority; name a profile with `authority: required` to keep that';
    findings.loosens('/require', message);
  }
}

function judgeAddedProfile(profile: ProfileDocument, findings: Findings): void {
  const named = quoted(profile.id);
  if (profile.compare !== undefined) {
    findings.loosens('/profiles', `the comparator of ${named} may call values equal that were not before`);
  }
  if (profile.when !== undefined && conditionTraits(profile.when).canErr) {
    findings.loosens(
      '/profiles',
      `the condition of ${named} is no longer asked, and could err, which paused`,
    );
  }
  findings.tightens('/profiles', `the profile ${named} now applies to it whatever its match says`);
}
