/**
 * Tells whether one profile applies to, or covers, every intent that another profile does, as far as their matches and
 * conditions show.
 */
import type { Match, Pattern, ProfileDocument } from '../policy/documents.ts';
import { asciiLower, compilePattern, isGlob, MATCH_MEMBERS } from '../policy/match.ts';
import { onlySideOf, type Side } from './spoken-sides.ts';
import { isAsWide } from './wider-condition.ts';

/** A character that no pattern and no intent can contain: a `*` may stand for it, so only a `*` may match it. */
const FRESH = '\u0000';

/**
 * Whether the outer pattern accepts every text that the inner one accepts. It may return false although a list
 * as a whole would suffice.
 */
function coversPattern(outer: Pattern, inner: Pattern): boolean {
  if (typeof outer === 'string' && typeof inner === 'string' && !isGlob(outer))
    return outer.length === inner.length && asciiLower(outer) === asciiLower(inner);
  const accepts = compilePattern(outer);
  const texts = typeof inner === 'string' ? [inner] : inner;
  return texts.every((text) => {
    const lower = asciiLower(text);
    return accepts(isGlob(lower) ? lower.replaceAll('*', FRESH) : lower);
  });
}

type Matching = Pick<ProfileDocument, 'match' | 'absent' | 'permit' | 'when'>;

/** Whether each member that the outer one matches on has a pattern that accepts what the inner one's does. */
function coversPatterns({ match: outer = {} }: Matching, { match: inner = {} }: Matching): boolean {
  return MATCH_MEMBERS.every((member) => {
    const pattern = outer[member];
    const narrower = inner[member];
    return pattern === undefined || (narrower !== undefined && coversPattern(pattern, narrower));
  });
}

/**
 * Whether the outer match accepts every intent that the inner one does. Every intent has a system; an intent
 * that omits any other member is accepted, unless the match belongs to a permit or skips it.
 */
export function coversMatch(outer: Matching, inner: Matching): boolean {
  if (!coversPatterns(outer, inner)) return false;
  if (outer.permit === true) return inner.permit === true && isAsBroad(outer, inner);
  const skipped = skippedWithout(outer);
  if (skipped === null) return true;
  return inner.permit === true ? inner.match?.[skipped] !== undefined : skippedWithout(inner) === skipped;
}

/** A permit about one of `field` and `operation` does not apply to an intent that sends both. */
function isAsBroad(outer: Matching, inner: Matching): boolean {
  const only = onlySideOf(outer);
  return only === null || only === onlySideOf(inner);
}

/** The one of `field` and `operation` without which, if the other is there, `absent: skip` skips. */
function skippedWithout({ match: { field, operation } = {}, absent }: Matching): Side | null {
  if (absent !== 'skip' || (field === undefined) === (operation === undefined)) return null;
  return field === undefined ? 'operation' : 'field';
}

/** Whether the outer profile applies, by its own match and condition, whenever the inner one does. */
export function appliesWherever(outer: Matching, inner: Matching): boolean {
  // A permit skips an intent that its condition cannot read; any other profile applies to it.
  return coversMatch(outer, inner) && isAsWide(outer.when, inner.when);
}

/** Whether the outer profile covers an intent whenever the inner one does. */
export function coversWherever(outer: Matching, inner: Matching): boolean {
  if (!coversPatterns(outer, inner) || !isAsWide(outer.when, inner.when)) return false;
  if (inner.permit === true) return outer.permit !== true || isAsBroad(outer, inner);
  if (outer.permit === true && onlySideOf(outer) !== null) return false;
  // A profile that matches on both `field` and `operation` needs only one of them.
  const named = ({ match: { field, operation } = {} }: Matching) =>
    Number(field !== undefined) + Number(operation !== undefined);
  return named(inner) < 2 || named(outer) === 0 || (named(outer) === 2 && outer.permit !== true);
}

/**
 * Whether some intent could match both, as far as the system shows: every intent has one, and any other omitted
 * member counts as matching.
 */
export function mayShareSystem(a: Match, b: Match): boolean {
  return mayShare(a.system, b.system);
}

function mayShare(a: Pattern | undefined, b: Pattern | undefined): boolean {
  if (a === undefined || b === undefined) return true;
  const [one, other] = [[a].flat(), [b].flat()];
  // Two globs may always overlap; a name overlaps with a pattern that accepts it.
  if (one.some(isGlob) && other.some(isGlob)) return true;
  const meets = (texts: readonly string[], pattern: Pattern) => {
    const accepts = compilePattern(pattern);
    return texts.some((text) => !isGlob(text) && accepts(asciiLower(text)));
  };
  return meets(one, b) || meets(other, a);
}

/** The members in which a match became narrower. */
export function narrowedMembers(before: ProfileDocument, after: ProfileDocument): readonly (keyof Match)[] {
  return MATCH_MEMBERS.filter((member) => {
    const one = (match: Match | undefined): Match => {
      const pattern = match?.[member];
      return pattern === undefined ? {} : { [member]: pattern };
    };
    return !coversPatterns({ match: one(after.match) }, { match: one(before.match) });
  });
}
