/** The commands of `writecheck`, by audience; each loads its code only when it runs. */
import { addAgentCommands } from '@writecheck/adapters/agent';
import { AUDIT_SECRETS, readSecretFiles, undeterminedOnMisuse } from '@writecheck/audit/commands';
import { VERSION } from '@writecheck/contract';
import { isCommandFailure } from '@writecheck/contract/command';
import { calledAs } from '@writecheck/service/support/called-as';
import { SECRET_VARIABLES } from '@writecheck/service/support/config/settings';
import { Command } from 'commander';
import { examples } from './examples.ts';
import { addFactsCommands } from './facts/program.ts';
import { addOperatorCommands } from './operator/program.ts';
import { addEvidenceCommands, addPolicyCommands } from './policy/program.ts';
import { addReviewCommands } from './reviews/program.ts';

/** Every secret that a command may take from the environment. */
export const SECRETS: readonly string[] = [...SECRET_VARIABLES, ...AUDIT_SECRETS, 'WRITECHECK_API_KEY'];

export async function run(argv: readonly string[]): Promise<void> {
  try {
    readSecretFiles(process.env, SECRETS);
    await program().parseAsync(argv);
  } catch (error) {
    if (!isCommandFailure(error)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
    // Otherwise a process that was started with an IPC channel would stay alive.
    process.disconnect?.();
  }
}

export function program(): Command {
  const writecheck = new Command('writecheck')
    .description('decides whether an agent may write: allow, pause or block')
    .showHelpAfterError('(run it with --help to see all options)')
    .showSuggestionAfterError()
    .version(VERSION, '-V, --version', 'print the version');

  addOperatorCommands(writecheck);
  addPolicyCommands(writecheck);
  addEvidenceCommands(writecheck);
  addFactsCommands(writecheck);
  addReviewCommands(writecheck);
  addAgentCommands(writecheck, calledAs());
  undeterminedOnMisuse(writecheck.command('check'))
    .description('send a check to a running service, and explain the decision')
    .argument('<intent>', 'file with a write intent or action request as JSON, or - for stdin')
    .option('--url <url>', 'the service [WRITECHECK_URL, default http://127.0.0.1:8080]')
    .option('--key <key>', 'a development or live key [WRITECHECK_API_KEY]')
    .option('--json', 'print the decision as JSON', false)
    .addHelpText(
      'after',
      `${examples('writecheck check intent.json', 'cat intent.json | writecheck check - --json')}
Exit codes:
  0 allow, 10 pause, 11 block, 2 no decision (treat it as: do not write)
`,
    )
    .action(async (file: string, options: { url?: string; key?: string; json: boolean }) =>
      (await import('./check.ts')).check(file, options),
    );
  return writecheck;
}
