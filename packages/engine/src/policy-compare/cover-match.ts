/** Whether one profile applies wherever another does, as far as their matches and conditions tell. */
import type { Match, Pattern, ProfileDocument } from '../policy/documents.ts';
import { asciiLower, compilePattern, isGlob, MATCH_MEMBERS } from '../policy/match.ts';

/** A letter no pattern and no intent can hold: what a `*` stands for may be this, so only a `*` may meet it. */
const FRESH = '\u0000';

/** Whether every text the inner pattern accepts is accepted by the outer one. It may say no where a list as a whole would do. */
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
    // Every intent has a system; the other members may be left out, and then the inner one may match.
    return member === 'system' || !skipsAbsent(outer) || skipsAbsent(inner);
  });
}

/**
 * Whether some intent could match both, as far as the system tells: every intent has one, and whatever else it leaves
 * out counts as matching.
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
  // Two globs may always meet; a name meets what accepts it.
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
  // What the condition cannot read decides too: only a permit passes over a path of another type.
  const isAsWide = outer.permit === true ? inner.permit === true : !skipsAbsent(outer) || skipsAbsent(inner);
  return outer.when === inner.when && isAsWide;
}

/** The members by which a match became narrower. */
export function narrowedMembers(before: ProfileDocument, after: ProfileDocument): readonly (keyof Match)[] {
  return MATCH_MEMBERS.filter((member) => {
    const one = (match: Match | undefined): Match => {
      const pattern = match?.[member];
      return pattern === undefined ? {} : { [member]: pattern };
    };
    return !coversMatch({ ...after, match: one(after.match) }, { ...before, match: one(before.match) });
  });
}
