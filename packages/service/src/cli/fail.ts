/** How a command says that it could not: on stderr, in words, with an exit code that scripts can read. */

/** Thrown by a command for a mistake of its user; the program prints the message and sets the exit code. */
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
