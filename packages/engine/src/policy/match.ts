/** Patterns of a profile's match: exact, a glob with `*`, or a list of these, ignoring ASCII case. */
import type { WriteIntent } from '@writecheck/contract';
import type { Match, Pattern } from './documents.ts';

/** Takes text whose ASCII letters are lower case. */
export type Matcher = (lower: string) => boolean;

export const MATCH_MEMBERS = ['system', 'objectType', 'field', 'operation'] as const;

/** Lowers only A to Z: full lower-casing would turn the Kelvin sign into a k. */
export function asciiLower(text: string): string {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 65 && code <= 90) return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  }
  return text;
}

export function isGlob(pattern: string): boolean {
  return pattern.includes('*');
}

export function compilePattern(pattern: Pattern): Matcher {
  if (typeof pattern === 'string') return compileOne(asciiLower(pattern));
  const lower = pattern.map(asciiLower);
  const exact = new Set(lower.filter((one) => !isGlob(one)));
  const globs = lower.filter(isGlob).map(compileOne);
  if (globs.length === 0) return (text) => exact.has(text);
  return (text) => exact.has(text) || globs.some((glob) => glob(text));
}

/** A whole match; a member that the intent omits counts as matching. */
export function compileMatch(match: Match): (intent: WriteIntent) => boolean {
  const matchers = MATCH_MEMBERS.flatMap((member) => {
    const pattern = match[member];
    return pattern === undefined ? [] : [{ member, accepts: compilePattern(pattern) }];
  });
  return (intent) =>
    matchers.every(({ member, accepts }) => {
      const text = intent[member];
      return text === undefined || accepts(asciiLower(text));
    });
}

function compileOne(pattern: string): Matcher {
  if (!isGlob(pattern)) return (text) => text === pattern;
  const pieces = pattern.split('*');
  const first = pieces[0]!;
  const last = pieces.at(-1)!;
  const middle = pieces.slice(1, -1).filter((piece) => piece !== '');
  const least = pattern.replaceAll('*', '').length;
  if (middle.length === 0) {
    return (text) => text.length >= least && text.startsWith(first) && text.endsWith(last);
  }
  const finders = middle.map((piece) => linearFinder(piece));
  return (text) => {
    if (text.length < least || !text.startsWith(first) || !text.endsWith(last)) return false;
    const end = text.length - last.length;
    let from = first.length;
    // The leftmost place for each piece leaves the most room for the next, so no choice is ever undone.
    for (let index = 0; index < finders.length; index += 1) {
      const at = finders[index]!(text, from);
      if (at < 0) return false;
      from = at + middle[index]!.length;
    }
    return from <= end;
  };
}

/** Up to this length the engines' own search is linear; beyond it, V8 falls back to one that is not. */
export const NATIVE_NEEDLE_CHARACTERS_MAX = 250;

/** Finds a needle in time linear in the text, whoever wrote either of them. */
export function linearFinder(needle: string): (text: string, from: number) => number {
  if (needle.length > NATIVE_NEEDLE_CHARACTERS_MAX) return knuthMorrisPratt(needle);
  return (text, from) => text.indexOf(needle, from);
}

function knuthMorrisPratt(needle: string): (text: string, from: number) => number {
  const codes = Uint16Array.from({ length: needle.length }, (_, index) => needle.charCodeAt(index));
  const fallback = new Uint16Array(codes.length);
  for (let index = 1, matched = 0; index < codes.length; index += 1) {
    while (matched > 0 && codes[index] !== codes[matched]) matched = fallback[matched - 1]!;
    if (codes[index] === codes[matched]) matched += 1;
    fallback[index] = matched;
  }
  return (text, from) => {
    let matched = 0;
    for (let index = from; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      while (matched > 0 && code !== codes[matched]) matched = fallback[matched - 1]!;
      if (code === codes[matched]) matched += 1;
      if (matched === codes.length) return index - codes.length + 1;
    }
    return -1;
  };
}

/** The cost of evaluating a pattern, in units of the cheapest glob; exact patterns are looked up and cost nothing. */
export function globCost(pattern: string): number {
  if (!isGlob(pattern)) return 0;
  return hasMiddle(pattern) ? 20 : 1;
}

function hasMiddle(pattern: string): boolean {
  return pattern.slice(pattern.indexOf('*'), pattern.lastIndexOf('*')).replaceAll('*', '') !== '';
}

/** Larger is more specific: most match members, then exact before list before glob. */
export function specificityOf(match: Match): number {
  let members = 0;
  let exact = 0;
  let lists = 0;
  for (const member of MATCH_MEMBERS) {
    const pattern = match[member];
    if (pattern === undefined) continue;
    members += 1;
    if (typeof pattern !== 'string') lists += 1;
    else if (!isGlob(pattern)) exact += 1;
  }
  return members * 100 + exact * 10 + lists;
}
