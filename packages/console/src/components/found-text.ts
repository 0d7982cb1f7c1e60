/** What the user searches for, so that every text below can mark it. */
import { createContext } from 'preact';
import type { Stretch } from './compare-characters.ts';
import { findWord } from './search/find-word.ts';

/** Empty if nothing is searched for. */
export const FoundText = createContext('');

/** The text in stretches, with each match marked; null if there is none. */
export function foundIn(text: string, wanted: string): readonly Stretch[] | null {
  const [said, sought] = [text.toLowerCase(), wanted.trim().toLowerCase()];
  // Lower case may be longer than the text, and places in it would then be others.
  if (sought === '' || said.length !== text.length) return null;
  // Words that stand apart are found apart.
  const words = (findWord(text, sought) !== null ? [sought] : sought.split(/\s+/)).filter(
    (word) => findWord(text, word) !== null,
  );
  if (words.length === 0) return null;
  const stretches: Stretch[] = [];
  let at = 0;
  for (;;) {
    const places = words.map((word) => findWord(text, word, at)).filter((place) => place !== null);
    const first = places.sort(([a], [b]) => a - b)[0];
    if (first === undefined) break;
    const [start, end] = first;
    if (start > at) stretches.push({ kind: 'same', text: text.slice(at, start) });
    at = end;
    stretches.push({ kind: 'found', text: text.slice(start, end) });
  }
  if (at < text.length) stretches.push({ kind: 'same', text: text.slice(at) });
  return stretches;
}
