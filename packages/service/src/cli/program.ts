/** The commands of `writecheck`, each with its help; what they do is loaded only when they run. */
import { Command, Option } from 'commander';
import type { Flags } from '../config/load-config.ts';
import { type Config, SETTINGS, type Setting } from '../config/settings.ts';
import { VERSION } from '../version.ts';
import { addAuditCommands } from './audit-program.ts';
import { CommandFailure, undeterminedOnMisuse } from './fail.ts';
import { addEvidenceCommands, addPolicyCommands } from './policy-program.ts';

const STORE_SETTINGS = ['data', 'databaseUrl'] as const;

export async function run(argv: readonly string[]): Promise<void> {
  try {
    await program().parseAsync(argv);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
    // A worker process would live on for its primary's sake.
    process.disconnect?.();
  }
}

export function program(): Command {
  const writecheck = new Command('writecheck')
    .description('asks and answers whether an agent may write: allow, pause or block')
    .showHelpAfterError('(run it with --help to see all options)')
    .showSuggestionAfterError()
    .version(VERSION, '-V, --version', 'print the version');

  withSettings(writecheck.command('serve'), Object.keys(SETTINGS) as (keyof Config)[])
    .description('run the service')
    .addHelpText(
      'after',
      examples('writecheck serve', 'writecheck serve --port 9000 --signup closed --workers 2'),
    )
    .action(async (flags: Flags) => (await import('./serve.ts')).serve(flags));

  undeterminedOnMisuse(asking(writecheck.command('check')))
    .description('ask a running service about a write, and explain the answer')
    .argument('<intent>', 'file with a write intent or action request as JSON, or - for stdin')
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

  const hook = writecheck.command('hook').description('stand between an agent and its tools');
  asking(hook.command('claude'))
    .description(
      'be a PreToolUse hook of Claude Code: reads the hook input on stdin, blocks what is not allowed',
    )
    .requiredOption('--mapping <file>', 'YAML or JSON that maps tools to intents')
    .addOption(reviewOption())
    .addHelpText(
      'after',
      `${examples('writecheck hook claude --mapping writecheck-tools.yaml || exit 2')}
Exit codes:
  0 the tool may go on to Claude Code's own permission rules, 2 it is blocked (also by any failure)
`,
    )
    .action(async (options) => (await import('./hook-claude.ts')).hookClaude(options));

  asking(writecheck.command('mcp'))
    .description(
      'offer check_write, explain_decision and list_requirements to a model, by the Model Context Protocol',
    )
    .option('--http', 'listen for streamable HTTP instead of stdio; every caller sends its own key', false)
    .option('--host <host>', 'the address to listen on with --http', '127.0.0.1')
    .option('--port <port>', 'the port to listen on with --http', '8090')
    .addOption(reviewOption())
    .addHelpText('after', examples('writecheck mcp', 'writecheck mcp --http --port 8090'))
    .action(async (options) => (await import('./mcp.ts')).mcp(options));

  asking(writecheck.command('mcp-proxy'))
    .description('stand in front of an MCP server and ask before every tool call that writes')
    .argument('<command...>', 'the server behind and its arguments, after --')
    .requiredOption('--mapping <file>', 'YAML or JSON that maps tools to intents')
    .option('--pins <file>', 'where the tools are pinned [default MAPPING.pins.json]')
    .option('--receipt', 'pass a receipt to the server behind, in `_meta`', false)
    .addOption(reviewOption())
    .addHelpText('after', examples('writecheck mcp-proxy --mapping crm-tools.yaml -- npx crm-mcp-server'))
    .action(async (command: readonly string[], options) =>
      (await import('./mcp-proxy.ts')).mcpProxy(command, options),
    );

  const workspace = writecheck.command('workspace').description('manage workspaces, directly on the store');
  withSettings(
    workspace.command('create').argument('<name>', 'a name that people will recognize'),
    STORE_SETTINGS,
  )
    .description('make a workspace and print its two keys, once')
    .addHelpText('after', examples('writecheck workspace create "Accounts payable"'))
    .action(async (name: string, flags: Flags) =>
      (await import('./store-commands.ts')).createWorkspaceCommand(flags, name),
    );
  withSettings(workspace.command('list'), STORE_SETTINGS)
    .description('list workspaces, oldest first')
    .action(async (flags: Flags) => (await import('./store-commands.ts')).listWorkspacesCommand(flags));
  withSettings(workspace.command('grant-live').argument('<workspace>', 'id of the workspace'), STORE_SETTINGS)
    .description('let a workspace make live keys on the hosted plan')
    .action(async (id: string, flags: Flags) =>
      (await import('./store-commands.ts')).grantLiveCommand(flags, id),
    );

  const keys = writecheck.command('keys').description('manage keys, directly on the store');
  withSettings(keys.command('create'), [...STORE_SETTINGS, 'plan'])
    .description('make a key and print its secret, once')
    .option('--workspace <id>', 'id of the workspace; optional if there is only one')
    .addOption(
      new Option('--kind <kind>', 'what the key may do')
        .choices(['development', 'live', 'owner'])
        .makeOptionMandatory(),
    )
    .requiredOption('--name <name>', 'a name that people will recognize')
    .option('--expires-at <date-time>', 'when it stops working, such as 2027-01-31T12:00:00Z')
    .option('--system <name...>', 'systems it may speak for; all where left out')
    .option('--workflow <id...>', 'workflows it must name; any where left out')
    .addHelpText('after', examples('writecheck keys create --kind live --name ap-bot --system erp crm'))
    .action(async (options) => (await import('./key-commands.ts')).createKeyCommand(options));
  withSettings(keys.command('list'), STORE_SETTINGS)
    .description('list the keys of a workspace: state, last use and limits, never a secret')
    .option('--workspace <id>', 'id of the workspace; optional if there is only one')
    .option('--json', 'print JSON', false)
    .action(async (options) => (await import('./key-commands.ts')).listKeysCommand(options));
  withSettings(
    keys.command('revoke').argument('<key>', 'id of the key, as `keys list` shows it'),
    STORE_SETTINGS,
  )
    .description('revoke a key; every running service refuses it within a second')
    .option('--workspace <id>', 'id of the workspace; optional if there is only one')
    .action(async (id: string, options) => (await import('./key-commands.ts')).revokeKeyCommand(options, id));

  withSettings(keys.command('rotate').argument('<key>', 'id of the key, as `keys list` shows it'), [
    ...STORE_SETTINGS,
    'plan',
  ])
    .description('replace a key by a new one with the same name and limits; print its secret, once')
    .option('--workspace <id>', 'id of the workspace; optional if there is only one')
    .option(
      '--grace-seconds <number>',
      'how long the old key goes on working [default 3600; 0 for an owner key]',
    )
    .addHelpText('after', examples('writecheck keys rotate key_0190… --grace-seconds 600'))
    .action(async (id: string, options) => (await import('./key-commands.ts')).rotateKeyCommand(options, id));

  addAuditCommands(writecheck, withSettings);

  const index = writecheck.command('index').description('manage the search index of decisions');
  withSettings(index.command('rebuild'), STORE_SETTINGS)
    .description('throw the search index away and fill it again from the log')
    .action(async (flags: Flags) => (await import('./store-commands.ts')).rebuildIndexCommand(flags));

  withSettings(writecheck.command('migrate-store'), STORE_SETTINGS)
    .description('copy a SQLite store into an empty PostgreSQL database; stop the service first')
    .addHelpText(
      'after',
      examples(
        'writecheck migrate-store --data ./.writecheck --database-url postgres://user@host/writecheck',
      ),
    )
    .action(async (flags: Flags) => (await import('./migrate-store.ts')).migrateStoreCommand(flags));

  addPolicyCommands(writecheck);
  addEvidenceCommands(writecheck);
  return writecheck;
}

function reviewOption(): Option {
  return new Option(
    '--review <mode>',
    'on a pause that a person could resolve: tell the model and open a review, wait for it, or off',
  )
    .choices(['off', 'tell', 'wait'])
    .default('tell');
}

function asking(command: Command): Command {
  return command
    .option('--url <url>', 'the service [WRITECHECK_URL, default http://127.0.0.1:8080]')
    .option('--key <key>', 'a development or live key [WRITECHECK_API_KEY]');
}

function withSettings(command: Command, names: readonly (keyof Config)[]): Command {
  for (const name of names) {
    const { flag, placeholder, help, variable, fallbackShown } = SETTINGS[name] as Setting<unknown>;
    command.option(`${flag} <${placeholder}>`, `${help} [${variable}, default ${fallbackShown}]`);
  }
  return command;
}

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join('')}`;
}
