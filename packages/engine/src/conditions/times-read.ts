/** The texts that a condition reads as times or durations: if one is invalid, the condition fails. */
import type { WriteIntent } from '@writecheck/contract';
import type { FactsOf } from './compiled-condition.ts';
import { partsOf, pathText } from './path-text.ts';
import { startOf, usableValueAt } from './read-value.ts';
import type { Node, Step } from './tree.ts';
import { durationFromText, timestampFromText } from './values.ts';

export interface TimeRead {
  readonly of: 'timestamp' | 'duration';
  /** The path as its author wrote it. */
  readonly path: string;
  /** The control whose facts it reads; null if it reads the intent. */
  readonly controlId: string | null;
  readonly steps: readonly Step[];
}

/** Elements of lists are left out: only the macro around them knows them. */
export function timesIn(node: Node): TimeRead[] {
  const inside = partsOf(node).flatMap(timesIn);
  if (node.kind !== 'call' || (node.name !== 'timestamp' && node.name !== 'duration')) return inside;
  const [path] = node.args;
  if (path?.kind !== 'path' || typeof path.root !== 'string') return inside;
  return [{ of: node.name, path: pathText(path.root, path.members), ...startOf(path) }];
}

/** The error of the first text that is not a time or duration; null if all are valid. */
export function faultOfTimes(times: readonly TimeRead[], intent: WriteIntent, facts: FactsOf): string | null {
  for (const { of, path, controlId, steps } of times) {
    const value = usableValueAt(controlId === null ? intent : facts(controlId), steps);
    if (typeof value !== 'string') continue;
    if (of === 'timestamp' && timestampFromText(value) === null)
      return `\`${path}\` is not an RFC 3339 time with an offset, such as \`2026-11-15T12:00:00Z\``;
    if (of === 'duration' && durationFromText(value) === null)
      return `\`${path}\` is not a duration such as \`24h\``;
  }
  return null;
}
