/** How a command reports failure: on stderr, in words, with an exit code that scripts can read. */
/** Thrown by a command for a user's mistake; the program prints the message and sets the exit code. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Also true for a failure of another package's command, which has its own class. */
export function isCommandFailure(error: unknown): error is CommandFailure {
  return error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number';
}

export function listFaults(head: string, faults: readonly string[]): string {
  return [head, ...faults.map((fault) => `  - ${fault}`)].join('\n');
}
