/**
 * Compares the structure of two bundles: is the new one at least as strict as the old one?
 *
 * INVARIANT: sound. If nothing is found to loosen, no intent's decision loosens, at any moment; it may find too
 * much, never too little. An intent that names a workflow which only the new bundle registers is compared with the same
 * intent without that name, because an unregistered name alone pauses a write. A profile that only observes decides
 * nothing, so it does not count on either side; a profile with an `observeUntil` counts, because it will decide.
 */
import { CONDITION_BUDGET } from '../conditions/budget.ts';
import type { DefaultsDocument, Match, PolicyDocument, ProfileDocument } from '../policy/documents.ts';
import { quoted } from '../policy/faults.ts';
import { findCrowds } from '../policy-lint/find-crowds.ts';
import { compareControls } from './compare-controls.ts';
import { compareEvidenceSources } from './compare-evidence-sources.ts';
import { compareLimits } from './compare-limits.ts';
import { compareModes, enforcedFromMs, enforcesNoLater, onlyWatches } from './compare-modes.ts';
import { comparePermits } from './compare-permits.ts';
import { compareProfiles } from './compare-profiles.ts';
import { compareWorkflows } from './compare-workflows.ts';
import { worstCostOf } from './condition-traits.ts';
import { appliesWherever, coversMatch, coversWherever } from './cover-match.ts';
import { feedsFailingConditions } from './failing-conditions.ts';
import { type Finding, type Findings, findingsAbout, mayLoosen } from './findings.ts';
import { judgeMode, judgeReach, judgeRequirements } from './judge-reach.ts';

export interface BundleComparison {
  readonly findings: readonly Finding[];
}

/** Both bundles must have compiled. */
export function compareBundles(
  before: readonly PolicyDocument[],
  after: readonly PolicyDocument[],
): BundleComparison {
  const findings: Finding[] = [];
  compareDefaults(before, after, findings);
  compareAllProfiles(before, after, findings);
  comparePermits(decidingPermits(before), decidingPermits(after), findings);
  compareWorkflows(
    ofKind(before, 'Workflow'),
    ofKind(after, 'Workflow'),
    byId(decidingProfiles(before)),
    byId(decidingProfiles(after)),
    defaultsOf(before),
    findings,
  );
  compareControls(before, after, findings);
  compareLimits(ofKind(before, 'Limit'), ofKind(after, 'Limit'), findings);
  compareEvidenceSources(
    ofKind(before, 'EvidenceSource'),
    ofKind(after, 'EvidenceSource'),
    feedsFailingConditions(before),
    findings,
  );
  compareBudgets(before, after, findings);
  compareCrowds(before, after, findings);
  compareSelfGovernment(before, after, findings);
  return { findings };
}

export function loosens({ findings }: BundleComparison): boolean {
  return findings.some(mayLoosen);
}

function ofKind<K extends PolicyDocument['kind']>(
  documents: readonly PolicyDocument[],
  kind: K,
): readonly Extract<PolicyDocument, { kind: K }>[] {
  return documents.filter(
    (document): document is Extract<PolicyDocument, { kind: K }> => document.kind === kind,
  );
}

/** Leaves out permits: they require nothing, so they are compared by their reach alone. */
function decidingProfiles(documents: readonly PolicyDocument[]): readonly ProfileDocument[] {
  return ofKind(documents, 'Profile').filter((profile) => !onlyWatches(profile) && profile.permit !== true);
}

function decidingPermits(documents: readonly PolicyDocument[]): readonly ProfileDocument[] {
  return ofKind(documents, 'Profile').filter((profile) => !onlyWatches(profile) && profile.permit === true);
}

function byId(profiles: readonly ProfileDocument[]): ReadonlyMap<string, ProfileDocument> {
  return new Map(profiles.map((profile) => [profile.id, profile]));
}

function defaultsOf(documents: readonly PolicyDocument[]): DefaultsDocument {
  return ofKind(documents, 'Defaults')[0] ?? { kind: 'Defaults' };
}

function compareDefaults(
  before: readonly PolicyDocument[],
  after: readonly PolicyDocument[],
  list: Finding[],
): void {
  const findings = findingsAbout(list, 'Defaults', '');
  const old = defaultsOf(before);
  const next = defaultsOf(after);
  compareModes(old, next, findings);
  compareUnmatched(scopeOf(old), scopeOf(next), findings);
  if (namesOf(old) !== namesOf(next))
    findings.loosens('/authzenContext', 'conditions read other members of an AuthZEN `context`');
}

/** Members of the intent determine which conditions can be read, so any other list may loosen. */
function namesOf({ authzenContext = [] }: DefaultsDocument): string {
  return JSON.stringify([...new Set(authzenContext)].sort());
}

/** Null if no intent pauses as unmatched. */
function scopeOf({ unmatched }: DefaultsDocument): Match | null {
  return unmatched === 'pause' ? {} : (unmatched?.pause ?? null);
}

function compareUnmatched(old: Match | null, next: Match | null, findings: Findings): void {
  const isKept = old === null || (next !== null && coversMatch({ match: next }, { match: old }));
  const isSame = next === null || (old !== null && coversMatch({ match: old }, { match: next }));
  if (!isKept) {
    const message =
      next === null
        ? 'an intent that no rule covers no longer pauses'
        : 'fewer intents that no rule covers pause';
    findings.loosens('/unmatched', message);
  } else if (!isSame) {
    const message =
      old === null ? 'an intent that no rule covers now pauses' : 'more intents that no rule covers pause';
    findings.tightens('/unmatched', message);
  }
}

/**
 * While no profile and no workflow enforces, the controls that a caller names count as required; if none is
 * even registered, an unknown workflow pauses unless the caller names some.
 */
function compareSelfGovernment(
  before: readonly PolicyDocument[],
  after: readonly PolicyDocument[],
  list: Finding[],
): void {
  const rulesOf = (documents: readonly PolicyDocument[]) => [
    ...ofKind(documents, 'Profile'),
    ...ofKind(documents, 'Workflow'),
  ];
  const startOf = (documents: readonly PolicyDocument[]) =>
    Math.min(Number.POSITIVE_INFINITY, ...rulesOf(documents).map(enforcedFromMs));
  // Usually another finding came first: the rest are removed permits, and otherwise harmless profiles.
  if (loosens({ findings: list })) return;
  const tell = (documents: readonly PolicyDocument[], message: string) => {
    const { kind, id } = rulesOf(documents)[0]!;
    findingsAbout(list, kind, id).loosens('', message);
  };
  if (startOf(after) > startOf(before))
    tell(before, 'no profile or workflow enforces in its place, so the controls that a caller names count');
  else if (startOf(after) < startOf(before) && ofKind(after, 'Workflow').length === 0)
    tell(
      after,
      'it is the first profile of a bundle without workflows, so a `workflowId` that is not registered no longer pauses',
    );
}

function compareAllProfiles(
  before: readonly PolicyDocument[],
  after: readonly PolicyDocument[],
  list: Finding[],
): void {
  const profiles = decidingProfiles(before);
  const next = decidingProfiles(after);
  const watchedBefore = new Set(
    ofKind(before, 'Profile')
      .filter(onlyWatches)
      .map(({ id }) => id),
  );
  const watchedAfter = byId(ofKind(after, 'Profile').filter(onlyWatches));
  const remaining = new Map(byId(next));
  const comparators = new Set(
    next.map(({ compare }) => compare).filter((comparator) => comparator !== undefined),
  );
  const old = { covering: [...profiles, ...decidingPermits(before)], defaults: defaultsOf(before) };
  for (const profile of profiles) {
    const findings = findingsAbout(list, 'Profile', profile.id);
    const kept = remaining.get(profile.id);
    remaining.delete(profile.id);
    if (kept === undefined) {
      const heir = next.find((other) => isReplacement(profile, other, comparators));
      if (heir !== undefined) continue;
      const watching = watchedAfter.get(profile.id);
      if (watching === undefined) findings.loosens('', `the profile ${quoted(profile.id)} was removed`);
      else compareModes(profile, watching, findings);
      continue;
    }
    compareProfiles(profile, kept, comparators, findings);
    // A profile that enforces sooner than before applies, until then, to writes it did not apply to.
    const isSooner = !enforcesNoLater(profile, kept);
    if (isSooner || !coversWherever(profile, kept)) judgeReach(kept, old, next, findings);
    else {
      if (!appliesWherever(profile, kept)) judgeMode(kept, old.defaults, findings);
      judgeRequirements(kept, old, next, '/require', findings);
    }
  }
  for (const profile of remaining.values()) {
    const findings = findingsAbout(list, 'Profile', profile.id);
    const news = watchedBefore.has(profile.id) ? 'enforces now' : 'is new';
    findings.tightens('', `the profile ${quoted(profile.id)} ${news}`);
    judgeReach(profile, old, next, findings);
  }
}

/** Whether another profile does everything that the removed one did. */
function isReplacement(
  gone: ProfileDocument,
  other: ProfileDocument,
  comparators: ReadonlySet<string>,
): boolean {
  if (!appliesWherever(other, gone)) return false;
  const found: Finding[] = [];
  compareProfiles(gone, other, comparators, findingsAbout(found, 'Profile', gone.id));
  return !found.some(mayLoosen);
}

/** A write that pauses because too many rules apply may be allowed once fewer do, whatever made them fewer. */
function compareCrowds(
  before: readonly PolicyDocument[],
  after: readonly PolicyDocument[],
  list: Finding[],
): void {
  const deciding = (documents: readonly PolicyDocument[]) => [
    ...decidingProfiles(documents),
    ...decidingPermits(documents),
    ...ofKind(documents, 'Workflow').filter((workflow) => !onlyWatches(workflow)),
  ];
  const [crowd] = findCrowds([...deciding(before), ...ofKind(before, 'Limit')]);
  if (crowd === undefined || JSON.stringify(deciding(before)) === JSON.stringify(deciding(after))) return;
  findingsAbout(list, 'Profile', crowd.profile.id).loosens(
    '',
    `too many rules may apply to one write in ${crowd.where}, which pauses it; with other rules it may be allowed`,
  );
}

/**
 * The conditions of a decision share a budget, and one that finds it used up fails. If that could happen, the
 * set of evaluated conditions determines which one fails, so no change among them can be shown to be harmless.
 */
function compareBudgets(
  before: readonly PolicyDocument[],
  after: readonly PolicyDocument[],
  list: Finding[],
): void {
  const asked = (documents: readonly PolicyDocument[]) =>
    [...decidingProfiles(documents), ...decidingPermits(documents)].filter(({ when }) => when !== undefined);
  const shape = (documents: readonly PolicyDocument[]) =>
    JSON.stringify([
      asked(documents).map(({ id, match, absent, permit, when, observeUntil }) => [
        id,
        match,
        absent,
        permit,
        when,
        observeUntil,
      ]),
      ofKind(documents, 'Workflow').map(({ id, profiles, writePolicy, observeUntil }) => [
        id,
        profiles,
        writePolicy,
        observeUntil,
      ]),
    ]);
  const worst = Math.max(
    ...[before, after].map((documents) => worstCostOf(asked(documents).map(({ when }) => when!))),
  );
  if (worst <= CONDITION_BUDGET || shape(before) === shape(after)) return;
  const id = [...asked(after), ...asked(before)][0]!.id;
  const times = Math.ceil(worst / CONDITION_BUDGET);
  findingsAbout(list, 'Profile', id).loosens(
    '/when',
    `with the longest lists and texts, the conditions of all profiles cost ${times} times what a decision may, so another condition may fail now; nest fewer macros, or confirm the change`,
  );
}
