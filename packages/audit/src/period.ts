/** `--from` and `--to` of the commands that list entries. */
import { parseInstant } from '@writecheck/contract';
import { undetermined } from './fail.ts';

export interface Period {
  readonly from?: string;
  readonly to?: string;
}

/** Whether a time of the log is in the period: `from` is included, `to` is not. */
export function periodOf({ from, to }: Period): (timestamp: string) => boolean {
  const fromMs = momentOf(from, '--from') ?? 0;
  const toMs = momentOf(to, '--to') ?? Number.POSITIVE_INFINITY;
  return (timestamp) => {
    const atMs = Date.parse(timestamp);
    return atMs >= fromMs && atMs < toMs;
  };
}

function momentOf(text: string | undefined, flag: string): number | null {
  if (text === undefined) return null;
  const instant = parseInstant(text);
  if (instant === null || !instant.hasOffset) {
    throw undetermined(`${flag} must be an RFC 3339 date-time with an offset, such as 2026-01-31T12:00:00Z`);
  }
  return instant.ms;
}
