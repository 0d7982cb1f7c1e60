/** How a command reports that it failed: on stderr, with an exit code that scripts can read. */

/** Thrown by a command; the program that runs it prints the message and exits with `exitCode`. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function listFaults(head: string, faults: readonly string[]): string {
  return [head, ...faults.map((fault) => `  - ${fault}`)].join('\n');
}
