/** The commands that move a workspace from one store to another. */
import type { Flags } from '@writecheck/service/support/config/load-config';
import type { Command } from 'commander';
import { examples } from '../../examples.ts';
import { withSettings } from '../with-settings.ts';

const STORE = ['data', 'databaseUrl'] as const;
const SIGNED_STORE = [...STORE, 'archive', 'signingKey'] as const;

export function addMoveCommands(workspace: Command): void {
  withSettings(workspace.command('address'), STORE)
    .description('print what `workspace export --to` needs to move a workspace to this store')
    .action(async (flags: Flags) => (await import('./export-workspace.ts')).addressCommand(flags));

  withSettings(workspace.command('export').argument('<workspace>', 'id of the workspace'), SIGNED_STORE)
    .description(
      'close a workspace here for good and write all of it to a file, for one other store to take in; it cannot be opened here again except by moving it back',
    )
    .requiredOption('--to <log>', 'what `workspace address` prints on the other store')
    .requiredOption('--out <file>', 'the file to write')
    .option('--dry-run', 'leave the workspace open, and write a file for `workspace import --dry-run`', false)
    .addHelpText(
      'after',
      examples(
        'writecheck workspace export ws_0190… --to log-8c1f… --out trial.ndjson --dry-run',
        'writecheck workspace export ws_0190… --to log-8c1f… --out acme.ndjson',
      ),
    )
    .action(async (id: string, options) =>
      (await import('./export-workspace.ts')).exportWorkspaceCommand(id, options),
    );

  withSettings(workspace.command('import').argument('<file>', 'what `workspace export` wrote'), SIGNED_STORE)
    .description('take in a workspace from another store: all of it, or nothing')
    .requiredOption('--keys <file...>', 'the verifier key of the store it comes from')
    .option('--dry-run', 'verify the file, say what would move, and change nothing', false)
    .addHelpText(
      'after',
      examples(
        'writecheck workspace import acme.ndjson --keys source.key --dry-run',
        'writecheck workspace import acme.ndjson --keys source.key',
      ),
    )
    .action(async (file: string, options) =>
      (await import('./import-workspace.ts')).importWorkspaceCommand(file, options),
    );
}
