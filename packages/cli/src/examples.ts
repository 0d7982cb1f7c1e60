/** Examples for a command's help, which work as printed. */
import { calledAs } from '@writecheck/service/support/called-as';

/** Each line calls `writecheck`, which is replaced by the user's own way to call it. */
export function examples(...lines: readonly string[]): string {
  const shown = lines.map((line) => `  $ ${line.replace(/(^|\| )writecheck /, `$1${calledAs()} `)}\n`);
  return `\nExamples:\n${shown.join('')}`;
}
