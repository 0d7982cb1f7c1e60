/** Examples for a command's help, which work as printed. */
import { examples as exampleLines } from '@writecheck/contract/command';
import { calledAs } from '@writecheck/service/support/called-as';

/** Each line calls `writecheck`, which is replaced by the user's own way to call it. */
export function examples(...lines: readonly string[]): string {
  return exampleLines(...lines.map((line) => line.replace(/(^|\| )writecheck /, `$1${calledAs()} `)));
}
