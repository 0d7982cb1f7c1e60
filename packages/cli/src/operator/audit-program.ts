/** The commands under `writecheck audit`: those of auditors, and those that work on the store. */
import { addAuditCommands } from '@writecheck/audit/commands';
import { calledAs } from '@writecheck/service/support/called-as';
import type { Command } from 'commander';
import { examples } from '../examples.ts';
import { WORKSPACE, withSettings } from './with-settings.ts';

const STORE = ['data', 'databaseUrl'] as const;
const SIGNED_STORE = [...STORE, 'signingKey'] as const;

export function addAuditCommandsOfAll(writecheck: Command): void {
  const audit = writecheck
    .command('audit')
    .description('export, verify, prove and prune the log of decisions');

  addAuditCommands(audit, `${calledAs()} audit`);

  withSettings(audit.command('prove').argument('<decision>', 'id of the decision'), SIGNED_STORE)
    .description('print the receipt of a decision, directly from the store')
    .option(...WORKSPACE)
    .addHelpText('after', examples('writecheck audit prove dec_0190… > receipt.json'))
    .action(async (id: string, options) => (await import('./audit-store.ts')).proveCommand(id, options));

  audit
    .command('key')
    .argument('<file>', 'the signing key, as a PEM file')
    .description('print the verifier key of a signing key, for those who verify the log')
    .addHelpText('after', examples('writecheck audit key new-key.pem >> audit.key'))
    .action(async (file: string) => (await import('./audit-store.ts')).keyCommand(file));

  withSettings(audit.command('prune'), STORE)
    .description(
      'erase records from the log permanently; their hashes stay, so it still verifies, and an entry says who erased them and why',
    )
    .option('--before <date-time>', 'everything older than this, such as 2026-01-01T00:00:00Z')
    .option('--decision <id...>', 'these decisions')
    .option('--object-ref <ref>', 'every decision about this object, for the right to be forgotten')
    .option('--key <id>', 'every decision that this key asked for')
    .option('--text <text>', 'every decision whose intent mentions this, in whatever case')
    .option('--workspace <id>', 'the workspace (default: the only one, or all with --before alone)')
    .option('--reason <text>', 'why; needed with --yes, and kept in the log')
    .option('--yes', 'erase the records; without it, they are listed and nothing is changed', false)
    .addHelpText(
      'after',
      examples(
        "writecheck audit prune --before 2026-01-01T00:00:00Z --yes --reason 'a year is over'",
        "writecheck audit prune --text 'jane@example.com'",
        "writecheck audit prune --text 'jane@example.com' --yes --reason 'request 4711'",
      ),
    )
    .action(async (options) => (await import('./prune-command.ts')).pruneCommand(options));

  withSettings(audit.command('restore'), SIGNED_STORE)
    .description(
      'after a restored backup or a failover that lost commits: stop all replicas, then run this once; it starts a new log that names the checkpoint it continues from',
    )
    .option('--keep-limits', 'count limits on from the backup, although draws after it are lost')
    .option(
      '--no-freeze',
      'leave writes running; otherwise every workspace is frozen until somebody lifts it',
    )
    .addHelpText('after', examples('writecheck audit restore --data ./.writecheck'))
    .action(async (options) => (await import('./continue-store.ts')).restoreCommand(options));

  withSettings(audit.command('continue'), SIGNED_STORE)
    .description(
      'after a clock was ahead: stop all replicas, then run this once; it starts a new log from now that names the checkpoint it continues from',
    )
    .addHelpText('after', examples('writecheck audit continue --data ./.writecheck'))
    .action(async (options) => (await import('./continue-store.ts')).continueCommand(options));
}
