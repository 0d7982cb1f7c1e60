/** How a command reports failure: on stderr, in words, with an exit code that scripts can read. */
import type { Command } from 'commander';

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

/** For commands whose exit code 1 is a finding: a wrong flag or a missing argument exits with 2 instead. */
export function undeterminedOnMisuse(command: Command): Command {
  return command.exitOverride(({ exitCode }) => process.exit(exitCode === 1 ? 2 : exitCode));
}

export function listFaults(head: string, faults: readonly string[]): string {
  return [head, ...faults.map((fault) => `  - ${fault}`)].join('\n');
}
