/** Where two texts differ, line by line. */
import { commonLengths } from '../common-lengths.ts';

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
  /** Starts at 1. Counts in the old text for removed lines, otherwise in the new one. */
  readonly number: number;
}

const CELLS_MAX = 4_000_000;

export function lineDifference(before: string, after: string): readonly DiffLine[] {
  const a = linesOf(before);
  const b = linesOf(after);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  const remove = () => lines.push({ kind: 'removed', text: a[i]!, number: ++i });
  const add = () => lines.push({ kind: 'added', text: b[j]!, number: ++j });
  const keep = () => {
    lines.push({ kind: 'same', text: b[j]!, number: ++j });
    i += 1;
  };
  const width = b.length + 1;
  const isTooLarge = (a.length + 1) * width > CELLS_MAX;
  const lengths = isTooLarge ? null : commonLengths(a, b);
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) keep();
    else if (j >= b.length) remove();
    else if (i >= a.length) add();
    else if (lengths === null || lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) remove();
    else add();
  }
  return lines;
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
