/**
 * Judges a profile that covers more intents than before. For those intents it may lift the need for authority, or keep
 * them from pausing as unmatched, unless it contains enough that nothing loosens.
 */
import type { DefaultsDocument, ProfileDocument } from '../policy/documents.ts';
import { quoted } from '../policy/faults.ts';
import { blocks, describeMode, enforcesNoLater } from './compare-modes.ts';
import { asksForValues, confirmsAuthority, controlOf } from './compare-profiles.ts';
import { coversWherever, mayShareSystem } from './cover-match.ts';
import type { Findings } from './findings.ts';
import { onlySideOf, sidesOf } from './spoken-sides.ts';

export interface Before {
  /** The profiles that decide, permits included. */
  readonly covering: readonly ProfileDocument[];
  readonly defaults: DefaultsDocument;
}

/** `after` are the new bundle's profiles that decide. */
export function judgeReach(
  profile: ProfileDocument,
  before: Before,
  after: readonly ProfileDocument[],
  findings: Findings,
): void {
  const { defaults } = before;
  judgeMode(profile, defaults, findings);
  if (profile.compare !== undefined)
    findings.loosens('/compare', 'if it newly covers a write, values that differ may count as equal');
  if (confirmsAuthority(profile))
    findings.loosens(
      '/authority/confirmedBy',
      'if it newly covers a write, a person may confirm its authority',
    );
  if (pausesSomeOf(defaults, profile) && !isCovered(profile, before.covering))
    findings.loosens('', 'it may be the first to cover writes that paused because no profile covered them');
  judgeRequirements(profile, before, after, '', findings);
}

/**
 * The mode of an applying rule replaces the default's if a profile covers, and only a default that blocks is
 * stricter.
 */
export function judgeMode(profile: ProfileDocument, defaults: DefaultsDocument, findings: Findings): void {
  if (!blocks(defaults) || blocks(profile)) return;
  const message = `if it newly applies alone, ${describeMode(profile)} replaces the default ${describeMode(defaults)}`;
  findings.loosens('/writePolicy', message);
}

/**
 * A write for which no covering profile requires a control must show authority. The first such profile removes that
 * duty, unless it asks for the values itself.
 */
export function judgeRequirements(
  profile: ProfileDocument,
  { covering }: Before,
  after: readonly ProfileDocument[],
  pointer: string,
  findings: Findings,
): void {
  if (!hasRequirements(profile) || asksForValues(profile)) return;
  const answers = (old: ProfileDocument): boolean =>
    (hasRequirements(old) || old.permit === true) &&
    coversInTime(old, profile) &&
    (onlySideOf(profile) !== null || onlySideOf(old) === null);
  // Its own earlier text nearly always answers, and comparing all pairs of 1,900 profiles takes 0.4 s.
  const isAnswered =
    covering.some((old) => old.id === profile.id && answers(old)) || covering.some((old) => answers(old));
  if (!isAnswered)
    findings.loosens(
      pointer,
      'it may be the first profile to require a control of a write, which then no longer needs authority; say `authority: required` to keep that',
    );
  else judgeBothSides(profile, covering, after, pointer, findings);
}

/** A write with both `field` and `operation` must show authority unless one control is required for each. */
function judgeBothSides(
  profile: ProfileDocument,
  covering: readonly ProfileDocument[],
  after: readonly ProfileDocument[],
  pointer: string,
  findings: Findings,
): void {
  const side = onlySideOf(profile);
  if (side === null) return;
  for (const control of (profile.require ?? []).map(controlOf)) {
    const isOld = covering.some(
      (old) => requires(old, control) && coversInTime(old, profile) && sidesOf(old).includes(side),
    );
    const partner = after.find(
      (other) =>
        requires(other, control) &&
        !asksForValues(other) &&
        ![side, null].includes(onlySideOf(other)) &&
        mayShareSystem(other.match ?? {}, profile.match ?? {}),
    );
    if (isOld || partner === undefined) continue;
    findings.loosens(
      pointer,
      `with ${quoted(partner.id)} it requires ${quoted(control)} for both \`field\` and \`operation\` of a write, which then no longer needs authority; say \`authority: required\` to keep that`,
    );
    return;
  }
}

function requires({ require = [] }: ProfileDocument, control: string): boolean {
  return require.some((requirement) => controlOf(requirement) === control);
}

function hasRequirements({ require = [] }: ProfileDocument): boolean {
  return require.length > 0;
}

function pausesSomeOf({ unmatched }: DefaultsDocument, profile: ProfileDocument): boolean {
  if (unmatched === undefined) return false;
  return unmatched === 'pause' || mayShareSystem(unmatched.pause, profile.match ?? {});
}

/** Whether an old profile covered, and enforced, whenever this one does, for `field` and `operation` alike. */
function isCovered(profile: ProfileDocument, covering: readonly ProfileDocument[]): boolean {
  return covering.some(
    (old) => coversInTime(old, profile) && sidesOf(profile).every((side) => sidesOf(old).includes(side)),
  );
}

function coversInTime(old: ProfileDocument, profile: ProfileDocument): boolean {
  return coversWherever(old, profile) && enforcesNoLater(old, profile);
}
