/** The command `writecheck-agent`. */
import { VERSION } from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import { Command } from 'commander';
import { blockUnlessPermitted } from './hook-claude-exit.ts';
import { addAgentCommands } from './program.ts';

if (process.argv[2] === 'hook') blockUnlessPermitted();

const program = new Command('writecheck-agent')
  .description('guard what an agent writes, with hooks and MCP that call a Writecheck service')
  .showHelpAfterError('(run it with --help to see all options)')
  .showSuggestionAfterError()
  .version(VERSION, '-V, --version', 'print the version');
// If npx started it, the command is not on the PATH of the user's shell.
addAgentCommands(
  program,
  process.env.npm_command === undefined ? 'writecheck-agent' : 'npx @writecheck/adapters',
);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommandFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.exitCode;
}
