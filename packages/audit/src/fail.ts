/** The exit codes of audit commands: 1 is a finding, 2 means that there is no result. */
import { CommandFailure } from '@writecheck/contract/command';
import type { Command } from 'commander';

/** The command could not determine the result; 1 means that it did and something does not hold. */
export const UNDETERMINED_EXIT_CODE = 2;

export function undetermined(message: string): CommandFailure {
  return new CommandFailure(message, UNDETERMINED_EXIT_CODE);
}

export function notVerified(message: string): CommandFailure {
  return new CommandFailure(message);
}

/** Exit code 1 is a finding, so a wrong flag or a missing argument exits with 2. */
export function undeterminedOnMisuse(command: Command): Command {
  return command.exitOverride(({ exitCode }) =>
    process.exit(exitCode === 1 ? UNDETERMINED_EXIT_CODE : exitCode),
  );
}
