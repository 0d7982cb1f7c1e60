/** Finds rules of a bundle that are allowed and invite a caller, or its author, to a mistake. */
import type { ControlDefinition, PolicyDocument, ProfileDocument } from '../policy/documents.ts';
import { quoted } from '../policy/faults.ts';
import { isGlob, MATCH_MEMBERS } from '../policy/match.ts';
import { crowdWarnings } from './find-crowds.ts';
import { lintFacts } from './lint-facts.ts';
import { lintLimit } from './lint-limits.ts';
import { lintReach } from './lint-reach.ts';
import type { LintWarning, Warn } from './lint-warning.ts';
import { isNeverTrue } from './never-true.ts';

/** The bundle must have compiled. */
export function lintBundle(documents: readonly PolicyDocument[]): readonly LintWarning[] {
  const warnings: LintWarning[] = [];
  const warn: Warn = (document, pointer, message) => void warnings.push({ document, pointer, message });
  const controls = new Map<string, ControlDefinition>();
  for (const document of documents)
    if (document.kind === 'ControlPack')
      for (const [id, control] of Object.entries(document.controls)) controls.set(id, control);
  lintRequirements(documents, controls, warn);
  lintFacts(documents, controls, warn);
  const named = new Set(documents.flatMap((one) => (one.kind === 'Workflow' ? (one.profiles ?? []) : [])));
  for (const document of documents) {
    if (document.kind === 'Limit') lintLimit(document, warn);
    if (document.kind === 'Profile') lintCondition(document, named.has(document.id), warn);
  }
  lintReach(
    documents.filter((document): document is ProfileDocument => document.kind === 'Profile'),
    documents.find((document) => document.kind === 'Defaults'),
    warn,
  );
  for (const { profile, message } of crowdWarnings(documents)) warn(profile, '', message);
  return warnings;
}

/** A misspelled control would be satisfied by the caller's own word. */
function lintRequirements(
  documents: readonly PolicyDocument[],
  controls: ReadonlyMap<string, ControlDefinition>,
  warn: Warn,
): void {
  if (controls.size === 0) return;
  for (const document of documents) {
    if (document.kind !== 'Profile' && document.kind !== 'Workflow') continue;
    const asked = (document.require ?? []).map(
      (one, index) => [`/require/${index}`, typeof one === 'string' ? one : one.control] as const,
    );
    for (const [pointer, id] of asked)
      if (!controls.has(id))
        warn(document, pointer, `no pack defines ${quoted(id)}, so any source and any age is accepted`);
  }
}

function lintCondition(profile: ProfileDocument, isNamed: boolean, warn: Warn): void {
  if (profile.when === undefined || !isNeverTrue(profile.when, exactValues(profile))) return;
  const applies =
    profile.permit === true
      ? 'it permits nothing'
      : `the profile applies only if ${isNamed ? 'a workflow names it or ' : ''}what the condition reads is missing`;
  warn(profile, '/when', `this can never be true: ${applies}`);
}

/** Patterns ignore case and conditions do not, so only values without letters in two cases are known exactly. */
function exactValues({ match = {} }: ProfileDocument): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, readonly string[]>();
  for (const member of MATCH_MEMBERS) {
    const pattern = match[member];
    if (pattern === undefined) continue;
    const list = typeof pattern === 'string' ? [pattern] : pattern;
    if (list.some((one) => isGlob(one) || /[a-z]/i.test(one))) continue;
    known.set(member, list);
  }
  return known;
}
