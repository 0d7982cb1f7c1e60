/** Finds kinds of writes to which more rules may apply, or which may require more, than may. */
import { REQUIRED_CONTROLS_MAX } from '@writecheck/contract';
import { REQUIREMENTS_ON_INTENT_MAX, RULES_ON_INTENT_MAX } from '../intent-limits.ts';
import type { Match, PolicyDocument, ProfileDocument, WorkflowDocument } from '../policy/documents.ts';
import { quoted } from '../policy/faults.ts';
import { asciiLower, compilePattern, isGlob } from '../policy/match.ts';

export interface Crowd {
  /** A rule of the crowd. */
  readonly profile: ProfileDocument;
  readonly of: 'rules' | 'requirements';
  readonly count: number;
  /** The systems of these writes, in words. */
  readonly where: string;
}

/**
 * The largest crowd of rules and the one that requires the most. INVARIANT: if some intent has too many of either, there is
 * such a crowd. It may be found where no intent has: conditions count as true, and two globs may share no name although
 * their ends fit.
 */
export function findCrowds(documents: readonly PolicyDocument[]): readonly Crowd[] {
  const profiles = documents.filter((one) => one.kind === 'Profile');
  const workflows = documents.filter((one) => one.kind === 'Workflow');
  const bundle: Bundle = {
    workflows,
    named: Math.max(0, ...workflows.map((one) => 1 + (one.profiles?.length ?? 0))),
    byId: new Map(profiles.map((profile) => [profile.id, profile])),
    beyond: documents.reduce(
      (sum, one) =>
        sum + (one.kind === 'Limit' && typeof one.beyond === 'object' ? one.beyond.require.length : 0),
      0,
    ),
  };
  const largest: { rules: Crowd | null; requirements: Crowd | null } = { rules: null, requirements: null };
  const note = (crowd: Crowd) => {
    if (crowd.count > (largest[crowd.of]?.count ?? 0)) largest[crowd.of] = crowd;
  };
  if (crowdsOf(profiles, '', bundle).length === 0) return [];
  for (const { value, group } of groupsBy(profiles, 'system')) {
    const where = value === null ? 'any other system' : quoted(value);
    if (crowdsOf(group, where, bundle).length === 0) continue;
    for (const narrower of groupsOfIntents(group))
      for (const crowd of crowdsOf(narrower, where, bundle)) note(crowd);
  }
  return [largest.rules, largest.requirements].filter((crowd) => crowd !== null);
}

/** What an author is told about them. */
export function crowdWarnings(
  documents: readonly PolicyDocument[],
): readonly { readonly profile: ProfileDocument; readonly message: string }[] {
  return findCrowds(documents).map(({ profile, of, count, where }) => {
    const message =
      of === 'rules'
        ? `${count} profiles and workflows may apply to one write in ${where}, because what a write omits counts as matching; more than ${RULES_ON_INTENT_MAX} pause it with \`policy_error\`: match them on a narrower \`system\` or \`operation\`, or merge those that require the same`
        : `what may apply to one write in ${where} requires ${count} controls, counted for each profile and workflow; more than ${REQUIREMENTS_ON_INTENT_MAX} pause it with \`policy_error\`: match the profiles on a narrower \`system\` or \`operation\`, or require fewer controls`;
    return { profile, message };
  });
}

interface Bundle {
  readonly workflows: readonly WorkflowDocument[];
  /** How many rules a workflow may add. */
  readonly named: number;
  readonly byId: ReadonlyMap<string, ProfileDocument>;
  /** How many controls limits may require. */
  readonly beyond: number;
}

/** Whether the profiles, with the workflow that adds the most, are too many or require too much. */
function crowdsOf(
  group: readonly ProfileDocument[],
  where: string,
  { workflows, named, byId, beyond }: Bundle,
): readonly Crowd[] {
  const [profile] = group;
  if (profile === undefined) return [];
  let rules = group.length;
  let requirements = sizeOf(group);
  const members = new Set(group);
  const mayBeMany = rules + named > RULES_ON_INTENT_MAX;
  const mayRequireMuch = requirements + named * REQUIRED_CONTROLS_MAX > REQUIREMENTS_ON_INTENT_MAX;
  for (const workflow of mayBeMany || mayRequireMuch ? workflows : []) {
    const { profiles = [] } = workflow;
    const added = profiles.flatMap((id) => byId.get(id) ?? []).filter((one) => !members.has(one));
    rules = Math.max(rules, group.length + added.length + 1);
    requirements = Math.max(requirements, sizeOf(group) + sizeOf([workflow, ...added]));
  }
  requirements += beyond;
  const found: Crowd[] = [];
  if (rules > RULES_ON_INTENT_MAX) found.push({ profile, of: 'rules', count: rules, where });
  if (requirements > REQUIREMENTS_ON_INTENT_MAX)
    found.push({ profile, of: 'requirements', count: requirements, where });
  return found;
}

/** How many controls they require, counted for each of them. */
function sizeOf(sources: readonly (ProfileDocument | WorkflowDocument)[]): number {
  return sources.reduce((sum, { require = [] }) => sum + require.length, 0);
}

/** What may apply to an operation, alone or with a field, and to a field of an object alone. */
function* groupsOfIntents(group: readonly ProfileDocument[]): Generator<readonly ProfileDocument[]> {
  for (const { group: ofOperation } of groupsBy(group, 'operation')) {
    yield ofOperation.filter((one) => !isSkippedWithout(one, 'field'));
    if (ofOperation.some((one) => isSkippedWithout(one, 'field')))
      for (const { group: ofBoth } of groupsBy(ofOperation, 'field')) yield ofBoth;
  }
  const ofFields = group.filter((one) => !isSkippedWithout(one, 'operation'));
  for (const { group: ofType } of groupsBy(ofFields, 'objectType'))
    for (const { group: ofField } of groupsBy(ofType, 'field')) yield ofField;
}

/** Whether an intent that sends only the other of the two skips it. */
function isSkippedWithout({ absent, match = {} }: ProfileDocument, member: 'field' | 'operation'): boolean {
  const other = member === 'field' ? 'operation' : 'field';
  return absent === 'skip' && match[member] !== undefined && match[other] === undefined;
}

interface Group {
  /** A name, or a glob for names that no profile spells out; null for any other name. */
  readonly value: string | null;
  /** The profiles that may match on this value, or that do not match on the member. */
  readonly group: readonly ProfileDocument[];
}

/** Beyond it all profiles count as one group, so that no bundle takes long. */
const COMPARISONS_MAX = 200_000;

/** One for each name that the profiles spell out, and for each glob: a name that it accepts may have no other globs. */
function* groupsBy(profiles: readonly ProfileDocument[], member: keyof Match): Generator<Group> {
  const byName = new Map<string, ProfileDocument[]>();
  const wide: {
    readonly profile: ProfileDocument;
    readonly accepts: (name: string) => boolean;
    readonly globs: readonly string[] | null;
  }[] = [];
  for (const profile of profiles) {
    const pattern = profile.match?.[member];
    const texts = pattern === undefined ? null : [pattern].flat().map(asciiLower);
    const own = texts?.filter(isGlob) ?? null;
    if (own === null || own.length > 0)
      wide.push({
        profile,
        globs: own,
        accepts: pattern === undefined ? () => true : compilePattern(pattern),
      });
    for (const name of new Set(texts ?? [])) {
      if (isGlob(name)) continue;
      const named = byName.get(name);
      if (named === undefined) byName.set(name, [profile]);
      else named.push(profile);
    }
  }
  const globs = new Set(wide.flatMap((one) => one.globs ?? []));
  if ((byName.size + globs.size) * wide.length > COMPARISONS_MAX) {
    yield { value: null, group: profiles };
    return;
  }
  for (const [value, named] of byName) {
    const own = new Set(named);
    const others = wide.filter(({ profile, accepts }) => !own.has(profile) && accepts(value));
    yield { value, group: [...named, ...others.map(({ profile }) => profile)] };
  }
  for (const value of [null, ...globs]) {
    const may = wide.filter(
      (one) => one.globs === null || (value !== null && one.globs.some((glob) => mayShareName(glob, value))),
    );
    yield { value, group: may.map(({ profile }) => profile) };
  }
}

/** Whether the texts before the first `*` of both fit, and those after the last. */
function mayShareName(one: string, other: string): boolean {
  const starts = [one, other].map((glob) => glob.slice(0, glob.indexOf('*'))) as [string, string];
  const ends = [one, other].map((glob) => glob.slice(glob.lastIndexOf('*') + 1)) as [string, string];
  return (
    (starts[0].startsWith(starts[1]) || starts[1].startsWith(starts[0])) &&
    (ends[0].endsWith(ends[1]) || ends[1].endsWith(ends[0]))
  );
}
