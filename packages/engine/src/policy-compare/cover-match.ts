/** Whether one profile applies wherever another does, as far as their matches and conditions show. */
import type { Match, Pattern, ProfileDocument } from '../policy/documents.ts';
import { asciiLower, compilePattern, isGlob, MATCH_MEMBERS } from '../policy/match.ts';

/** A character that no pattern and no intent can contain: a `*` may stand for it, so only a `*` may match it. */
const FRESH = '\u0000';

/**
 * Whether the outer pattern accepts every text that the inner one accepts. It may say no although a list as a whole
 * would do.
 */
export function coversPattern(outer: Pattern, inner: Pattern): boolean {
  const accepts = compilePattern(outer);
  const texts = typeof inner === 'string' ? [inner] : inner;
  return texts.every((text) => {
    const lower = asciiLower(text);
    return accepts(isGlob(lower) ? lower.replaceAll('*', FRESH) : lower);
  });
}

type Matching = Pick<ProfileDocument, 'match' | 'absent' | 'permit'>;

function skipsAbsent({ absent, permit }: Matching): boolean {
  return absent === 'skip' || permit === true;
}

export function coversMatch(outer: Matching, inner: Matching): boolean {
  const outerMatch = outer.match ?? {};
  const innerMatch = inner.match ?? {};
  return MATCH_MEMBERS.every((member) => {
    const pattern = outerMatch[member];
    if (pattern === undefined) return true;
    const narrower = innerMatch[member];
    if (narrower === undefined || !coversPattern(pattern, narrower)) return false;
    // Every intent has a system; the other members may be omitted, and then the inner one may match.
    return member === 'system' || !skipsAbsent(outer) || skipsAbsent(inner);
  });
}

/**
 * Whether some intent could match both, as far as the system shows: every intent has one, and any other omitted
 * member counts as matching.
 */
export function mayShareSystem(a: Match, b: Match): boolean {
  return mayShare(a.system, b.system);
}

/** The same for intents that name an object type. */
export function mayShareType(a: Match, b: Match): boolean {
  return mayShare(a.objectType, b.objectType);
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

/** Whether the outer profile applies whenever the inner one does. */
export function covers(outer: ProfileDocument, inner: ProfileDocument): boolean {
  if (!coversMatch(outer, inner)) return false;
  if (outer.when === undefined) return true;
  // Paths that the condition cannot read matter too: only a permit skips a path of the wrong type.
  const isAsWide = outer.permit === true ? inner.permit === true : !skipsAbsent(outer) || skipsAbsent(inner);
  return outer.when === inner.when && isAsWide;
}

/** The members in which a match became narrower. */
export function narrowedMembers(before: ProfileDocument, after: ProfileDocument): readonly (keyof Match)[] {
  return MATCH_MEMBERS.filter((member) => {
    const one = (match: Match | undefined): Match => {
      const pattern = match?.[member];
      return pattern === undefined ? {} : { [member]: pattern };
    };
    return !coversMatch({ ...after, match: one(after.match) }, { ...before, match: one(before.match) });
  });
}
