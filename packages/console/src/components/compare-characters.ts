/** Where two texts differ, character by character. */
import { difference } from '@writecheck/contract';

export interface Stretch {
  /** `found` is a match of a search. */
  readonly kind: 'same' | 'different' | 'found';
  readonly text: string;
}

/** Above this limit the table costs too much; everything between the equal ends then counts as different. */
const CELLS_MAX = 1_000_000;

export function compareCharacters(left: string, right: string) {
  const a = [...left];
  const b = [...right];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [aKept, bKept] = longestCommon(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return {
    left: stretches(a, (at) => at < start || at >= a.length - end || aKept[at - start]!),
    right: stretches(b, (at) => at < start || at >= b.length - end || bKept[at - start]!),
  };
}

/** For each side, whether a character is part of the longest common subsequence. */
function longestCommon(a: readonly string[], b: readonly string[]): readonly [boolean[], boolean[]] {
  if (a.length * b.length > CELLS_MAX) return [a.map(() => false), b.map(() => false)];
  const steps = difference(a, b);
  const keptWithout = (gone: string) =>
    steps.filter(({ kind }) => kind !== gone).map(({ kind }) => kind === 'same');
  return [keptWithout('added'), keptWithout('removed')];
}

function stretches(characters: readonly string[], isSame: (at: number) => boolean): readonly Stretch[] {
  const found: { kind: Stretch['kind']; text: string }[] = [];
  for (const [at, character] of characters.entries()) {
    const kind = isSame(at) ? 'same' : 'different';
    const last = found.at(-1);
    if (last?.kind === kind) last.text += character;
    else found.push({ kind, text: character });
  }
  return found;
}
