/** The commands between an agent and its writes; each is loaded only when it runs. */
import { examples } from '@writecheck/contract/command';
import { type Command, Option } from 'commander';

/** `calledAs` is how the user calls the program, for the examples. */
export function addAgentCommands(program: Command, calledAs: string): void {
  const hook = program.command('hook').description('guard the tools of an agent');
  asking(hook.command('claude'))
    .description(
      'run as a PreToolUse hook of Claude Code: read the hook input on stdin and block what is not allowed',
    )
    .requiredOption('--mapping <file>', 'YAML or JSON that maps tools to intents')
    .addOption(reviewOption())
    .addHelpText(
      'after',
      `${examples(`trap 'exit 2' TERM INT HUP; ${calledAs} hook claude --mapping writecheck-tools.yaml || exit 2`)}
Exit codes:
  0 the tool may go on to Claude Code's own permission rules, 2 it is blocked (also by any failure)
`,
    )
    .action(async (options) => (await import('./hook-claude.ts')).hookClaude(options));

  asking(program.command('mcp-proxy'))
    .description('run in front of an MCP server and check every tool call that writes')
    .argument('<command...>', 'the command of the MCP server and its arguments, after --')
    .requiredOption('--mapping <file>', 'YAML or JSON that maps tools to intents')
    .option('--pins <file>', 'file that pins the tools [default MAPPING.pins.json]')
    .option('--no-once', 'leave the allow to an MCP server that redeems it, or that may write twice')
    .addOption(reviewOption())
    .addHelpText('after', examples(`${calledAs} mcp-proxy --mapping crm-tools.yaml -- npx crm-mcp-server`))
    .action(async (command: readonly string[], options) =>
      (await import('./mcp-proxy.ts')).mcpProxy(command, options),
    );
}

function reviewOption(): Option {
  return new Option(
    '--review <mode>',
    'if a person could resolve a pause: tell opens a review and tells the model, wait also waits for the verdict, off does neither',
  )
    .choices(['off', 'tell', 'wait'])
    .default('tell');
}

function asking(command: Command): Command {
  return command
    .option('--url <url>', 'the service [WRITECHECK_URL, default http://127.0.0.1:8080]')
    .option('--key <key>', 'a development or live key [WRITECHECK_API_KEY]');
}
