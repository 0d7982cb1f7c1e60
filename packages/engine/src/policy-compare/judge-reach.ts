/**
 * What a profile that is new or applies to more writes must require, so that nothing loosens where it newly applies.
 */
import type { DefaultsDocument, ProfileDocument } from '../policy/documents.ts';
import { blocks, describeMode, enforcesNoLater } from './compare-modes.ts';
import { asksForValues, confirmsAuthority } from './compare-profiles.ts';
import { covers, mayShareSystem } from './cover-match.ts';
import type { Findings } from './findings.ts';

export interface Before {
  readonly profiles: readonly ProfileDocument[];
  readonly defaults: DefaultsDocument;
}

export function judgeReach(profile: ProfileDocument, before: Before, findings: Findings): void {
  const { defaults } = before;
  // It applies only while it enforces, so only a default mode that blocks is stricter.
  if (blocks(defaults) && !blocks(profile)) {
    const message = `if it newly applies alone, ${describeMode(profile)} replaces the default ${describeMode(defaults)}`;
    findings.loosens('/writePolicy', message);
  }
  if (profile.compare !== undefined) {
    findings.loosens('/compare', 'if it newly applies, values that differ may count as equal');
  }
  if (confirmsAuthority(profile)) {
    const message = 'if it newly applies, a person may confirm authority';
    findings.loosens('/authority/confirmedBy', message);
  }
  if (pausesSomeOf(defaults, profile) && !isCovered(profile, before.profiles)) {
    findings.loosens('', 'it may now cover writes that paused because no rule covered them');
  }
  judgeFirstRequirement(profile, before.profiles, '', findings);
}

/**
 * An intent without any requirement must show authority; its first requirement removes that duty, unless somebody
 * requires the values anyway.
 */
export function judgeFirstRequirement(
  profile: ProfileDocument,
  before: readonly ProfileDocument[],
  pointer: string,
  findings: Findings,
): void {
  if (!hasRequirements(profile) || asksForValues(profile)) return;
  if (isCovered(profile, before.filter(hasRequirements))) return;
  findings.loosens(
    pointer,
    'its requirements may be the first an intent has, which then no longer needs authority; say `authority: required` to keep that',
  );
}

export function hasRequirements({ require }: { readonly require?: readonly unknown[] }): boolean {
  return require !== undefined && require.length > 0;
}

function pausesSomeOf({ unmatched }: DefaultsDocument, profile: ProfileDocument): boolean {
  if (unmatched === undefined) return false;
  return unmatched === 'pause' || mayShareSystem(unmatched.pause, profile.match ?? {});
}

/** Whether some old profile applied, and enforced, wherever and whenever this one does. */
function isCovered(profile: ProfileDocument, others: readonly ProfileDocument[]): boolean {
  return others.some((other) => covers(other, profile) && enforcesNoLater(other, profile));
}
