/** Which characters of a text deceive a reader. What is odd in an identifier may be plain orthography in prose. */
import { type OddCharacter, oddCharacters, skeletonOf, twinOf } from '@writecheck/contract';

export type Deception = 'reversed' | 'hidden' | 'imitates';

/** Nothing in it can be odd. Most texts are like this, and lists judge hundreds of them. */
const PLAIN = /^[ -~\n]*$/;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;
const OVERRIDES = /[\u202D\u202E]/;
const DIRECTIONS = /[\u202A-\u202E\u2066-\u2069]/;
/** Scripts whose letters pass for Latin ones, and styled Latin letters. */
const IMITATING =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}ɡɑǀℓ\u{1D400}-\u{1D7FF}]/u;

/** Whether people read it as sentences, where dashes, quotes, marks and spaces of every kind are at home. */
function isProse(text: string): boolean {
  return /[ \n\t]/.test(text.trim()) || UNSPACED.test(text);
}

/** One entry per code point. `isValue`: the text is compared or looked up, so that every character counts. */
export function markedCharacters(text: string, isValue: boolean): readonly (OddCharacter | null)[] {
  if (isValue || !isProse(text)) return oddCharacters(text, isValue);
  const imitating = imitatingPlaces(text);
  return oddCharacters(text, true).map((each, at) => {
    if (each === null || each.kind === 'space' || each.kind === 'combining') return null;
    if (each.kind === 'look-alike') return imitating.has(at) ? each : null;
    return each.code === 'U+0009' || each.code === 'U+000D' ? null : each;
  });
}

/** What is wrong with a text; empty if nothing is. A line break is never wrong. */
export function deceptionsIn(text: string, isValue = false): ReadonlySet<Deception> {
  const found = new Set<Deception>();
  if (PLAIN.test(text)) return found;
  const points = [...text];
  const isStrict = isValue || !isProse(text);
  if (OVERRIDES.test(text) || (DIRECTIONS.test(text) && !RIGHT_TO_LEFT.test(text))) found.add('reversed');
  for (const [at, odd] of markedCharacters(text, isValue).entries()) {
    if (odd === null || odd.code === 'U+000A') continue;
    if (odd.kind === 'look-alike') found.add('imitates');
    else if (odd.kind === 'invisible' || odd.kind === 'control') {
      if (!DIRECTIONS.test(points[at]!) && !isHarmless(points, at, isStrict)) found.add('hidden');
    } else if (isStrict) found.add('hidden');
  }
  return found;
}

/** The ASCII text that the first deceptive word is taken for, such as `example.com` in an address. */
export function imitatedBy(text: string, isValue: boolean): string | null {
  const points = [...text];
  const at = markedCharacters(text, isValue).findIndex((odd) => odd?.kind === 'look-alike');
  if (at < 0) return null;
  const isPart = (character: string | undefined) =>
    character !== undefined && !/[\s@<>"'`(),;]/.test(character);
  let [start, end] = [at, at];
  while (isPart(points[start - 1])) start -= 1;
  while (isPart(points[end + 1])) end += 1;
  return skeletonOf(points.slice(start, end + 1).join(''));
}

/** Letters in the place of Latin ones: in a word with Latin letters, or in a whole word of an otherwise Latin text. */
function imitatingPlaces(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  const latin = text.match(/[A-Za-z]/g)?.length ?? 0;
  const isLatin =
    latin > 2 * (text.match(/[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/gu)?.length ?? 0);
  let at = 0;
  for (const word of text.split(/([^\p{L}\p{M}\p{N}]+)/u)) {
    const points = [...word];
    const letters = points.filter((point) => /\p{L}/u.test(point));
    const isMixed = /[A-Za-z]/.test(word) && !/^[A-Z]+\p{N}*[α-ω]$/u.test(word);
    const isWhole = letters.length > 2 && letters.every((letter) => twinOf(letter) !== null);
    for (const [i, point] of points.entries()) {
      const isStyled = /[\u{1D400}-\u{1D7FF}]/u.test(point);
      const isForeign = IMITATING.test(point) || (/[\uFF21-\uFF5A]/.test(point) && !UNSPACED.test(text));
      if (isForeign && twinOf(point) !== null && (isStyled || isMixed || (isWhole && isLatin)))
        found.add(at + i);
    }
    at += points.length;
  }
  return found;
}

/** Joiners, marks of direction and soft hyphens belong to many languages and to emoji; between Latin letters they hide. */
function isHarmless(points: readonly string[], at: number, isStrict: boolean): boolean {
  const character = points[at]!;
  const [before = '', after = ''] = [points[at - 1], points[at + 1]];
  const isPictured = [before, after].some((each) =>
    /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F/u.test(each),
  );
  if (
    /[\u200D\uFE0E\uFE0F\u{E0020}-\u{E007F}]/u.test(character) &&
    (isPictured || points.includes('\u{1F3F4}'))
  )
    return true;
  if (isStrict) return false;
  if (/[\t\r\u00AD]/.test(character) || (character === '\uFEFF' && at === 0)) return true;
  // A run of them carries a message of its own.
  const isRun = [points[at - 1], points[at + 1]].every((each) => each !== undefined && /\p{Cf}/u.test(each));
  if (/\p{Cc}|[\u{E0000}-\u{E0FFF}]/u.test(character) || isRun) return false;
  return !/[A-Za-z0-9]/.test(before) || !/[A-Za-z0-9]/.test(after);
}
