/** What the user searches for, so that every text below can mark it. */
import { createContext } from 'preact';
import type { Stretch } from './compare-characters.ts';

/** Empty if nothing is searched for. */
export const FoundText = createContext('');

/** The text in stretches, with each match marked; null if there is none. */
export function foundIn(text: string, wanted: string): readonly Stretch[] | null {
  const [said, sought] = [text.toLowerCase(), wanted.trim().toLowerCase()];
  // Lower case may be longer than the text, and places in it would then be others.
  if (sought === '' || said.length !== text.length) return null;
  // Words that stand apart are found apart.
  const words = (said.includes(sought) ? [sought] : sought.split(/\s+/)).filter((word) =>
    said.includes(word),
  );
  if (words.length === 0) return null;
  const stretches: Stretch[] = [];
  let at = 0;
  for (;;) {
    const places = words
      .map((word) => ({ word, next: said.indexOf(word, at) }))
      .filter(({ next }) => next >= 0);
    const first = places.sort((a, b) => a.next - b.next)[0];
    if (first === undefined) break;
    const { word, next } = first;
    if (next > at) stretches.push({ kind: 'same', text: text.slice(at, next) });
    at = next + word.length;
    stretches.push({ kind: 'found', text: text.slice(next, at) });
  }
  if (at < text.length) stretches.push({ kind: 'same', text: text.slice(at) });
  return stretches;
}
