/** Where a word stands in a text, in any case. IBANs and amounts are found however either of the two is grouped. */

const GROUPING = /[ \u00a0\u202f,]/;
const CODE_CHARACTERS_MAX = 64;
/** Shorter ones would also be found across the words of a sentence. */
const DIGITS_MIN = 4;

/** Searches from `from` on; null if the word does not occur. `word` is in lower case. */
export function findWord(text: string, word: string, from = 0): readonly [start: number, end: number] | null {
  const at = text.toLowerCase().indexOf(word, from);
  if (at >= 0) return [at, at + word.length];
  const isCode = text.length <= CODE_CHARACTERS_MAX && /\d/.test(text) && text === text.toUpperCase();
  if (!isCode || [...word].filter((each) => /\d/.test(each)).length < DIGITS_MIN) return null;
  const isGrouping = (each: string) => GROUPING.test(each);
  const kept = Array.from(text, (_, place) => place).filter((place) => !isGrouping(text[place]!));
  const bare = kept
    .map((place) => text[place]!)
    .join('')
    .toLowerCase();
  const wanted = [...word].filter((each) => !isGrouping(each)).join('');
  const first = kept.findIndex((place) => place >= from);
  const found = first < 0 ? -1 : bare.indexOf(wanted, first);
  return found < 0 ? null : [kept[found]!, kept[found + wanted.length - 1]! + 1];
}
