/** Guesses which known name somebody meant by a misspelled one. */
import { plainSpelling } from './member-spelling.ts';

/** No known name is similar to a longer one. */
const GUESSED_NAME_CHARACTERS_MAX = 60;

/** The known name that was most likely meant. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > GUESSED_NAME_CHARACTERS_MAX) return null;
  const plain = plainSpelling(name);
  let nearest: string | null = null;
  let fewest = 3;
  for (const candidate of known) {
    const target = plainSpelling(candidate);
    const edits = editsBetween(plain, target);
    if (edits < fewest && edits < target.length / 2) {
      nearest = candidate;
      fewest = edits;
    }
  }
  return nearest;
}

/** How many characters to add, drop or change. */
export function editsBetween(a: string, b: string): number {
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
