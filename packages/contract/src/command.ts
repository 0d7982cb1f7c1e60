/** The failure of a command: a message on stderr, and an exit code that scripts can read. */

/** Thrown by a command; the program that runs it prints the message and exits with `exitCode`. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** True also for a failure of a package that has this module in its own bundle. */
export function isCommandFailure(error: unknown): error is CommandFailure {
  return error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number';
}

export function listFaults(head: string, faults: readonly string[]): string {
  return [head, ...faults.map((fault) => `  - ${fault}`)].join('\n');
}

/** The examples in a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join('')}`;
}
