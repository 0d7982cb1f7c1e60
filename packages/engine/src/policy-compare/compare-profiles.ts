/** Checks that a profile's new form is at least as strict as its old one wherever the old one applied. */
import type { ProfileDocument, Requirement } from '../policy/documents.ts';
import { quoted } from '../policy/faults.ts';
import { blocks, compareModes } from './compare-modes.ts';
import { conditionTraits } from './condition-traits.ts';
import { narrowedMembers } from './cover-match.ts';
import type { Findings } from './findings.ts';
import { isAsWide } from './wider-condition.ts';

export function compareProfiles(
  before: ProfileDocument,
  after: ProfileDocument,
  comparatorsAfter: ReadonlySet<string>,
  findings: Findings,
): void {
  for (const member of narrowedMembers(before, after)) {
    findings.loosens(`/match/${member}`, `the match on \`${member}\` may be narrower than before`);
  }
  compareConditions(before, after, findings);
  compareRequirements(before.require, after.require, findings);
  compareModes(before, after, findings);
  compareAuthority(before, after, findings);
  compareReviewTerms(before, after, findings);
  compareComparators(before, after, comparatorsAfter, findings);
  if (asksForValues(before) && !asksForValues(after)) {
    const isByMatch = before.match?.field !== undefined && after.match?.field === undefined;
    const pointer = isByMatch ? '/match' : asksByField(before) ? '/authority' : '';
    findings.loosens(pointer, 'it no longer requires the values to be compared');
  } else if (!asksForValues(before) && asksForValues(after)) {
    findings.tightens('', 'it now requires the values to be compared');
  }
}

function compareConditions(before: ProfileDocument, after: ProfileDocument, findings: Findings): void {
  if (after.absent === 'skip' && before.absent !== 'skip')
    findings.loosens('/absent', 'it skips writes that have only the other one of `field` and `operation`');
  else if (before.absent === 'skip' && after.absent !== 'skip')
    findings.tightens('/absent', 'it no longer skips writes without its `field` or `operation`');
  if (before.when === after.when) return;
  if (after.when !== undefined && isAsWide(after.when, before.when)) {
    findings.tightens('/when', 'its condition is true for more writes');
    return;
  }
  if (after.when !== undefined) {
    if (before.when === undefined)
      findings.loosens('/when', 'it has a condition now, so it may apply to fewer writes');
    else if (isAsWide(before.when, after.when))
      findings.loosens('/when', 'its condition is true for fewer writes');
    else
      findings.unclear(
        '/when',
        'its condition changes, and comparing cannot tell whether it applies to fewer writes',
      );
  } else if (conditionTraits(before.when!).canErr) {
    findings.loosens('/when', 'the removed condition could fail and pause the write');
  } else findings.tightens('/when', 'its condition was removed, so it applies to more writes');
}

function compareReviewTerms(before: ProfileDocument, after: ProfileDocument, findings: Findings): void {
  const old = before.different ?? [];
  const next = after.different ?? [];
  const gone = old.filter((control) => !next.includes(control));
  const added = next.filter((control) => !old.includes(control));
  if (gone.length > 0)
    findings.loosens(
      '/different',
      `one person may approve ${gone.map(quoted).join(', ')} and another control`,
    );
  else if (added.length > 0)
    findings.tightens('/different', `different people must approve ${added.map(quoted).join(', ')}`);
  if (before.requester !== undefined && after.requester === undefined)
    findings.loosens('/requester', 'a review no longer has to say on whose behalf it is asked');
  if (before.requester === undefined && after.requester !== undefined)
    findings.tightens('/requester', 'a review must say on whose behalf it is asked');
}

export function controlOf(requirement: Requirement): string {
  return typeof requirement === 'string' ? requirement : requirement.control;
}

export function compareRequirements(
  before: readonly Requirement[] = [],
  after: readonly Requirement[] = [],
  findings: Findings,
): void {
  const old = new Set(before.map(controlOf));
  const next = new Set(after.map(controlOf));
  for (const control of old) {
    if (!next.has(control)) findings.loosens('/require', `it no longer requires ${quoted(control)}`);
  }
  for (const control of next) {
    if (!old.has(control)) findings.tightens('/require', `it now requires ${quoted(control)}`);
  }
}

interface Authority {
  readonly required: boolean;
  readonly sources: readonly string[] | null;
  readonly attestedBy: string | null;
  readonly confirmedBy: string | null;
}

function authorityOf({ authority = { required: false } }: ProfileDocument): Authority {
  const details = authority === 'required' ? {} : authority;
  return {
    required: details.required ?? true,
    sources: details.sources ?? null,
    attestedBy: details.attestedBy ?? null,
    confirmedBy: details.confirmedBy ?? null,
  };
}

function compareAuthority(before: ProfileDocument, after: ProfileDocument, findings: Findings): void {
  const old = authorityOf(before);
  const next = authorityOf(after);
  if (old.required && !next.required) findings.loosens('/authority', 'it no longer requires authority');
  if (!old.required && next.required) findings.tightens('/authority', 'it now requires authority');
  compareSources(old.sources, next.sources, '/authority/sources', findings);
  compareConfirmation(before, after, findings);
  if (old.attestedBy === next.attestedBy) return;
  if (old.attestedBy !== null) {
    findings.loosens(
      '/authority/attestedBy',
      `authority no longer has to be attested by ${quoted(old.attestedBy)}`,
    );
  } else {
    findings.tightens(
      '/authority/attestedBy',
      `authority now has to be attested by ${quoted(next.attestedBy!)}`,
    );
  }
}

function compareConfirmation(before: ProfileDocument, after: ProfileDocument, findings: Findings): void {
  const { confirmedBy: old } = authorityOf(before);
  const { confirmedBy: next } = authorityOf(after);
  const pointer = '/authority/confirmedBy';
  // Only a profile with a say on authority lets a person confirm it.
  if (next !== null && (next !== old || (speaksOnAuthority(after) && !speaksOnAuthority(before))))
    findings.loosens(pointer, `a person may confirm authority by ${quoted(next)} now`);
  else if (next === null && old !== null)
    findings.tightens(pointer, `a person may no longer confirm authority by ${quoted(old)}`);
}

export function confirmsAuthority(profile: ProfileDocument): boolean {
  return authorityOf(profile).confirmedBy !== null;
}

function speaksOnAuthority(profile: ProfileDocument): boolean {
  const { sources, attestedBy } = authorityOf(profile);
  return sources !== null || attestedBy !== null || asksForValues(profile);
}

/** Null accepts any source. */
export function compareSources(
  before: readonly string[] | null,
  after: readonly string[] | null,
  pointer: string,
  findings: Findings,
): void {
  if (after === null) {
    if (before !== null) findings.loosens(pointer, 'any source is accepted now');
    return;
  }
  const added = before === null ? [] : after.filter((source) => !before.includes(source));
  for (const source of added) findings.loosens(pointer, `the source ${quoted(source)} is accepted now`);
  if (added.length === 0 && (before === null || before.some((source) => !after.includes(source)))) {
    findings.tightens(pointer, 'fewer sources are accepted');
  }
}

function compareComparators(
  before: ProfileDocument,
  after: ProfileDocument,
  comparatorsAfter: ReadonlySet<string>,
  findings: Findings,
): void {
  if (before.compare === after.compare) return;
  if (after.compare !== undefined) {
    findings.loosens(
      '/compare',
      `\`compare: ${after.compare}\` may treat values as equal that were not before`,
    );
    return;
  }
  // If several comparators are named, all must agree: without this one, the others may accept more.
  const others = [...comparatorsAfter].filter((comparator) => comparator !== before.compare);
  if (others.length > 0) {
    findings.loosens(
      '/compare',
      `without \`compare: ${before.compare}\` another profile's \`${others[0]}\` may decide alone`,
    );
  } else findings.tightens('/compare', 'values must be identical now');
}

/** A match on `field` asks for the values, unless the profile says that it does not require authority. */
export function asksByField({ match, authority, permit }: ProfileDocument): boolean {
  if (match?.field === undefined || permit === true) return false;
  return typeof authority !== 'object' || authority.required !== false;
}

/** Whether it makes the authority gate require both values, at any moment. */
export function asksForValues(profile: ProfileDocument): boolean {
  return (
    authorityOf(profile).required || asksByField(profile) || profile.compare !== undefined || blocks(profile)
  );
}
