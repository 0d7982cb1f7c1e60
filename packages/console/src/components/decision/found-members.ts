/** Where a search found what a row does not show. */
import { part } from '../cut-around.ts';
import { findWord } from '../search/find-word.ts';
import type { SaidIntent } from './said-in-intent.ts';

interface Member {
  readonly path: readonly string[];
  /** Around the match if it is long. */
  readonly text: string;
}

const AROUND = 24;
/** Evidence is not part of the write, so it is not searched. */
const LEFT_OUT: readonly string[] = ['controlEvidence', 'requiredControls'];

/** The first member for each word that `shown` lacks. */
export function foundElsewhere(wanted: string, intent: SaidIntent, shown: string): readonly Member[] {
  const words = wanted
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => findWord(shown, word) === null);
  if (words.length === 0) return [];
  const members = Object.entries(intent)
    .filter(([name]) => !LEFT_OUT.includes(name))
    .flatMap(([name, value]) => leaves(value, [name]));
  const found = words.flatMap((word) => {
    const member = members.find(({ text }) => findWord(text, word) !== null);
    return member === undefined ? [] : [{ ...member, text: around(member.text, word) }];
  });
  return found.filter((each, at) => found.findIndex(({ path }) => path === each.path) === at);
}

function leaves(value: unknown, path: readonly string[]): readonly Member[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value === 'number') return [{ path, text: String(value) }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => leaves(each, [...path, name]));
}

/** By code points: half a character would look like an attempt to deceive. */
function around(text: string, word: string): string {
  const points = [...text];
  const [start, end] = findWord(text, word) ?? [0, 0];
  const at = [...text.slice(0, start)].length;
  return part(points, Math.max(0, at - AROUND), at + (end - start) + AROUND);
}
