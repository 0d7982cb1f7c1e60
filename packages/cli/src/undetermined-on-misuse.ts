/** Exit codes of commands for which 1 is a finding. */
import type { Command } from 'commander';

/** For commands whose exit code 1 is a finding: a wrong flag or a missing argument exits with 2 instead. */
export function undeterminedOnMisuse(command: Command): Command {
  return command.exitOverride(({ exitCode }) => process.exit(exitCode === 1 ? 2 : exitCode));
}
