/** One error of a policy as a line: where it is, then what is wrong. */
import type { ProblemDetail } from '@writecheck/contract';

/** As compilers say it, so that editors can jump there. */
export function describeDetail({ file, line, column, pointer, message }: ProblemDetail): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  const where = place === '' ? pointer : place;
  return where === '' ? message : `${where}: ${message}`;
}
