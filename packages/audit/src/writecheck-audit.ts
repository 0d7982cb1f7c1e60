/** The command `writecheck-audit`. */
import { VERSION } from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import { Command } from 'commander';
import { addAuditCommands } from './program.ts';
import { AUDIT_SECRETS, readSecretFiles } from './secret-files.ts';

// A reader of the output may stop early, such as `| head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const program = new Command('writecheck-audit')
  .description('export, verify and replay the log of a Writecheck service, without its server')
  .showHelpAfterError('(run it with --help to see all options)')
  .showSuggestionAfterError()
  .version(VERSION, '-V, --version', 'print the version');
// If npx started it, the command is not on the PATH of the user's shell.
addAuditCommands(
  program,
  process.env.npm_command === undefined ? 'writecheck-audit' : 'npx @writecheck/audit',
);

try {
  readSecretFiles(process.env, AUDIT_SECRETS);
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommandFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.exitCode;
}
