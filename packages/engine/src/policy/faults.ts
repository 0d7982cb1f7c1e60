/** What is wrong with a bundle and where, in words that name the fix. */
import { shortened } from '@writecheck/contract';

export interface PolicyFault {
  readonly documentIndex: number;
  /** JSON pointer inside the document; empty for the document itself. */
  readonly pointer: string;
  readonly message: string;
  /** Counted from 1, inside the condition that `pointer` names. */
  readonly line?: number;
  readonly column?: number;
}

export function pointerTo(parent: string, member: string | number): string {
  return `${parent}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The user's input in backticks, shortened if it is long. */
export function quoted(text: string): string {
  return `\`${shortened(text).toWellFormed()}\``;
}

/** No known name is similar to a longer one. */
const GUESSED_NAME_CHARACTERS_MAX = 60;

/** The known name that the author most likely meant. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > GUESSED_NAME_CHARACTERS_MAX) return null;
  const plain = plainForm(name);
  let nearest: string | null = null;
  let fewest = 3;
  for (const candidate of known) {
    const target = plainForm(candidate);
    const edits = editsBetween(plain, target);
    if (edits < fewest && edits < target.length / 2) {
      nearest = candidate;
      fewest = edits;
    }
  }
  return nearest;
}

export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === null
    ? `; known are ${known.map(quoted).join(', ')}`
    : `; did you mean ${quoted(nearest)}`;
}

function plainForm(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}

function editsBetween(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const change = previous[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(change, previous[column]! + 1, current[column - 1]! + 1));
    }
    previous = current;
  }
  return previous[b.length]!;
}
