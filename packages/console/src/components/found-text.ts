/** What the user searches for, so that every text below can mark it. */
import { createContext } from 'preact';
import type { Stretch } from './compare-characters.ts';

/** Empty if nothing is searched for. */
export const FoundText = createContext('');

/** The text in stretches, with each match marked; null if there is none. */
export function foundIn(text: string, wanted: string): readonly Stretch[] | null {
  const [said, sought] = [text.toLowerCase(), wanted.trim().toLowerCase()];
  // Lower case may be longer than the text, and places in it would then be others.
  if (sought === '' || said.length !== text.length || !said.includes(sought)) return null;
  const stretches: Stretch[] = [];
  let at = 0;
  for (let next = said.indexOf(sought); next >= 0; next = said.indexOf(sought, at)) {
    if (next > at) stretches.push({ kind: 'same', text: text.slice(at, next) });
    at = next + sought.length;
    stretches.push({ kind: 'found', text: text.slice(next, at) });
  }
  if (at < text.length) stretches.push({ kind: 'same', text: text.slice(at) });
  return stretches;
}
