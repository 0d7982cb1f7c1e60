/** The commands under `writecheck facts`, for operators of the reader; each is loaded only when it runs. */
import type { Command } from 'commander';
import { examples } from '../examples.ts';

export function addFactsCommands(writecheck: Command): void {
  const facts = writecheck
    .command('facts')
    .description('read records with credentials that the agent never sees, and sign what they say');

  facts
    .command('serve')
    .description('run the reader')
    .argument('<file>', 'the configuration; relative paths in it start in its folder')
    .option('--host <address>', 'address to listen on [WRITECHECK_FACTS_HOST, default 127.0.0.1]')
    .option(
      '--port <number>',
      'port to listen on; 0 takes a free one and prints it [WRITECHECK_FACTS_PORT, default 8081]',
    )
    .addHelpText('after', examples('writecheck facts serve facts.yaml'))
    .action(async (file: string, options) => (await import('./serve.ts')).serveFacts(file, options));

  facts
    .command('check')
    .description('read the controls that fit an intent, and print what they say; signs nothing')
    .argument('<file>', 'the configuration')
    .requiredOption('--intent <file>', 'file with a write intent or action request as JSON, or - for stdin')
    .addHelpText('after', examples('writecheck facts check facts.yaml --intent intent.json'))
    .action(async (file: string, options) => (await import('./check.ts')).checkFacts(file, options));
}
