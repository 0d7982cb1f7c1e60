/** What must be removed from a list of texts, and added to it, to get another one. */

export interface DifferenceStep {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Above this limit the table costs too much; texts that are in both lists may then be removed and added again. */
const CELLS_MAX = 4_000_000;

/** The shortest way from one to the other, in order. */
export function difference(before: readonly string[], after: readonly string[]): readonly DifferenceStep[] {
  const width = after.length + 1;
  const lengths = (before.length + 1) * width > CELLS_MAX ? null : commonLengths(before, after);
  const steps: DifferenceStep[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      steps.push({ kind: 'same', text: after[j]! });
      i += 1;
      j += 1;
    } else if (
      j >= after.length ||
      (i < before.length &&
        (lengths === null || lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!))
    ) {
      steps.push({ kind: 'removed', text: before[i]! });
      i += 1;
    } else {
      steps.push({ kind: 'added', text: after[j]! });
      j += 1;
    }
  }
  return steps;
}

/** The length of the longest common subsequence from each pair of places on, by `i * (b.length + 1) + j`. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
  return lengths;
}
