/** A unified diff of two texts with one hunk, as `patch` and `git apply` read it. */
const CONTEXT_LINES = 3;

export function unifiedDiff(path: string, before: string, after: string): string {
  if (before === after) return '';
  const old = linesOf(before);
  const next = linesOf(after);
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1;
  let same = 0;
  while (
    same < old.length - start &&
    same < next.length - start &&
    old[old.length - 1 - same] === next[next.length - 1 - same]
  )
    same += 1;
  const from = Math.max(0, start - CONTEXT_LINES);
  const oldEnd = old.length - same;
  const nextEnd = next.length - same;
  const tail = old.slice(oldEnd, oldEnd + CONTEXT_LINES);
  const changes = changedLines(old.slice(start, oldEnd), next.slice(start, nextEnd));
  const hunk = [...old.slice(from, start).map(kept), ...changes, ...tail.map(kept)];
  const oldCount = oldEnd - from + tail.length;
  const nextCount = nextEnd - from + tail.length;
  // A tab ends a name that contains a space.
  const end = path.includes(' ') ? '\t\n' : '\n';
  return `--- a/${path}${end}+++ b/${path}${end}@@ -${from + 1},${oldCount} +${from + 1},${nextCount} @@\n${hunk.join('')}`;
}

/** Each with its line break; a last line without one says so, as `diff` does. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function marked(mark: string, line: string): string {
  return line.endsWith('\n') ? `${mark}${line}` : `${mark}${line}\n\\ No newline at end of file\n`;
}

function kept(line: string): string {
  return marked(' ', line);
}

/** Common lines stay; the others are removed and added. */
function changedLines(old: readonly string[], next: readonly string[]): readonly string[] {
  const lengths = commonLengths(old, next);
  const lines: string[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < next.length) {
    if (i < old.length && j < next.length && old[i] === next[j]) {
      lines.push(kept(old[i]!));
      i += 1;
      j += 1;
    } else if (j >= next.length || (i < old.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!)) {
      lines.push(marked('-', old[i]!));
      i += 1;
    } else {
      lines.push(marked('+', next[j]!));
      j += 1;
    }
  }
  return lines;
}

/** The length of the longest common subsequence from each pair of places on. */
function commonLengths(old: readonly string[], next: readonly string[]): readonly (readonly number[])[] {
  const lengths = Array.from({ length: old.length + 1 }, () => Array<number>(next.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = next.length - 1; j >= 0; j -= 1) {
      lengths[i]![j] =
        old[i] === next[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  return lengths;
}
