/**
 * Finds the profiles that cover an intent, and what they lift or accept. Nothing that a caller names, adds or omits can
 * lift or accept more.
 */
import type { WriteIntent } from '@writecheck/contract';
import type { Profile } from './policy/snapshot.ts';

/** The profiles that apply by their own match and condition, with every member sent. */
export interface Cover {
  readonly profiles: readonly Profile[];
  /** Whether the intent sends both `field` and `operation`: an executor may act on either. */
  readonly hasBoth: boolean;
  readonly isCovered: boolean;
}

export function coverOf({ field, operation }: WriteIntent, profiles: readonly Profile[]): Cover {
  const hasBoth = field !== undefined && operation !== undefined;
  const isCovered =
    profiles.length > 0 && (!hasBoth || (profiles.some(isAboutField) && profiles.some(isAboutOperation)));
  return { profiles, hasBoth, isCovered };
}

/** Whether every member that the profile matches on is sent; of `field` and `operation`, one is enough. */
export function isWhole(profile: Profile, { objectType, field, operation }: WriteIntent): boolean {
  if (profile.matchesOnObjectType && objectType === undefined) return false;
  if (profile.matchesOnField && profile.matchesOnOperation)
    return field !== undefined || operation !== undefined;
  if (profile.matchesOnField) return field !== undefined;
  return !profile.matchesOnOperation || operation !== undefined;
}

/**
 * Whether a permit may apply: every member that it matches on is sent, and if it is about one of `field` and
 * `operation`, the other is omitted, because an executor may act on either.
 */
export function mayPermit(permit: Profile, { objectType, field, operation }: WriteIntent): boolean {
  if (permit.matchesOnObjectType && objectType === undefined) return false;
  if (permit.matchesOnField && field === undefined) return false;
  if (permit.matchesOnOperation && operation === undefined) return false;
  return field === undefined || operation === undefined || permit.isAboutField === permit.isAboutOperation;
}

/** Whether profiles contribute something for both `field` and `operation` alike, if the intent sends both. */
export function gives(
  { profiles, hasBoth }: Cover,
  namesOf: (profile: Profile) => readonly string[],
): boolean {
  if (!hasBoth) return profiles.some((profile) => namesOf(profile).length > 0);
  const forField = new Set(profiles.filter(isAboutField).flatMap(namesOf));
  return profiles.some(
    (profile) => isAboutOperation(profile) && namesOf(profile).some((name) => forField.has(name)),
  );
}

/** Whether a control is required; a permit counts as one. */
export function givesControl(cover: Cover): boolean {
  const { profiles, hasBoth } = cover;
  for (let index = 0; index < profiles.length; index += 1) {
    const { permit, require, isAboutField: a, isAboutOperation: b } = profiles[index]!;
    // A permit that applies to an intent with both covers both.
    if (permit || (require.length > 0 && (!hasBoth || (a && b)))) return true;
  }
  return hasBoth && gives(cover, controlsOf);
}

function controlsOf({ require }: Profile): readonly string[] {
  return require.map(({ control }) => control.id);
}

function isAboutField(profile: Profile): boolean {
  return profile.isAboutField;
}

function isAboutOperation(profile: Profile): boolean {
  return profile.isAboutOperation;
}
