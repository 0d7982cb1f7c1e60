/** Formats a policy error as one line: its place, then the problem. */
import type { ProblemDetail } from '@writecheck/contract';

/** Writes the format of compilers, so that editors can jump to the place. */
export function describeDetail({ file, line, column, pointer, message }: ProblemDetail): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  const where = place === '' ? pointer : place;
  return where === '' ? message : `${where}: ${message}`;
}
