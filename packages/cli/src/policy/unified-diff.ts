/** A unified diff of two texts with one hunk, as `patch` and `git apply` read it. */
import { difference } from '@writecheck/contract';

const CONTEXT_LINES = 3;
const MARKS = { same: ' ', removed: '-', added: '+' } as const;

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
  const steps = difference(old.slice(start, oldEnd), next.slice(start, nextEnd));
  const changes = steps.map(({ kind, text }) => marked(MARKS[kind], text));
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
