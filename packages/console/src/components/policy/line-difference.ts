/** Where two texts differ, line by line. */
import { type DifferenceStep, difference } from '@writecheck/contract';

export interface DiffLine extends DifferenceStep {
  /** Starts at 1. Counts in the old text for removed lines, otherwise in the new one. */
  readonly number: number;
}

export function lineDifference(before: string, after: string): readonly DiffLine[] {
  let [i, j] = [0, 0];
  return difference(linesOf(before), linesOf(after)).map(({ kind, text }) => {
    if (kind !== 'added') i += 1;
    if (kind !== 'removed') j += 1;
    return { kind, text, number: kind === 'removed' ? i : j };
  });
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

const CONTEXT = 2;

/** The changed lines with some context; null stands for omitted lines. */
export function shortened<L extends DiffLine>(lines: readonly L[]): readonly (L | null)[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ kind }) => kind !== 'same'),
  );
  const shown: (L | null)[] = [];
  for (const [at, line] of lines.entries()) {
    if (isNear[at]) shown.push(line);
    else if (shown.at(-1) !== null) shown.push(null);
  }
  return shown;
}
