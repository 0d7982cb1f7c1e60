/** The commands under `writecheck audit`, each with its help; what they do is loaded only when they run. */
import type { Command } from 'commander';
import type { Config } from '../config/settings.ts';
import { undeterminedOnMisuse } from './fail.ts';

type WithSettings = (command: Command, names: readonly (keyof Config)[]) => Command;

const STORE = ['data', 'databaseUrl'] as const;
const SIGNED_STORE = [...STORE, 'signingKey'] as const;
const EXIT_CODES = `
Exit codes:
  0 it holds, 1 it does not hold, 2 it could not be determined (a file or an answer is missing or unreadable)
`;

const shown = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join('')}`;

export function addAuditCommands(writecheck: Command, withSettings: WithSettings): void {
  const audit = writecheck
    .command('audit')
    .description('export, verify, prove and prune the log of decisions');

  audit
    .command('export')
    .description('fetch the log of a workspace from a running service, with an owner key')
    .option('--url <url>', 'the service [WRITECHECK_URL, default http://127.0.0.1:8080]')
    .option('--key <key>', 'an owner key [WRITECHECK_OWNER_KEY]')
    .option('--from <date-time>', 'show records from this moment on; others by their hash')
    .option('--to <date-time>', 'show records before this moment; others by their hash')
    .option('--out <file>', 'where to write it; stdout where left out')
    .option('--resume', 'go on with a file that broke off; give the same --from and --to', false)
    .addHelpText(
      'after',
      shown(
        'writecheck audit export --out 2026.ndjson',
        'writecheck audit export --out 2026.ndjson --resume',
      ),
    )
    .action(async (options) => (await import('./audit-export.ts')).exportCommand(options));

  undeterminedOnMisuse(audit.command('verify'))
    .description('check offline an export, a receipt, or that one checkpoint extends another')
    .argument('<file>', 'an export, a receipt, or the older checkpoint')
    .argument('[newer]', 'the newer checkpoint')
    .requiredOption(
      '--keys <file-or-line...>',
      'verifier keys, as `GET /v1/audit/key` gave them, kept since then',
    )
    .option('--known <file...>', 'checkpoints kept from earlier, or the files of a witness')
    .option('--workspace <id>', 'the workspace it must be of')
    .option('--intent <file>', 'the write that a receipt must be for, as JSON')
    .option('--proof <file>', 'the answer of `GET /v1/audit/consistency` for the two checkpoints')
    .addHelpText(
      'after',
      shown(
        'writecheck audit verify 2026.ndjson --keys audit.key --known witness/*.jsonl',
        'writecheck audit verify receipt.json --keys audit.key --intent intent.json',
        'writecheck audit verify older.txt newer.txt --proof proof.json --keys audit.key',
      ) + EXIT_CODES,
    )
    .action(async (file: string, newer: string | undefined, options) =>
      (await import('./audit-verify.ts')).verifyCommand(file, newer, options),
    );

  undeterminedOnMisuse(audit.command('replay'))
    .description('decide every record of an export again, offline, and report each byte that differs')
    .argument('<file>', 'an export; verify it first')
    .addHelpText('after', shown('writecheck audit replay 2026.ndjson') + EXIT_CODES)
    .action(async (file: string) => (await import('./audit-verify.ts')).replayCommand(file));

  undeterminedOnMisuse(audit.command('approvals'))
    .description('list who approved which write in an export, and which decision used the approval')
    .argument('<file>', 'an export; verify it first')
    .option('--from <date-time>', 'approvals from this moment on')
    .option('--to <date-time>', 'approvals before this moment')
    .option('--format <format>', 'csv or json', 'csv')
    .addHelpText(
      'after',
      shown(
        'writecheck audit approvals 2026.ndjson > approvals.csv',
        'writecheck audit approvals 2026.ndjson --from 2026-10-01T00:00:00Z --format json',
      ),
    )
    .action(async (file: string, options) =>
      (await import('./audit-approvals.ts')).approvalsCommand(file, options),
    );

  withSettings(audit.command('prove').argument('<decision>', 'id of the decision'), SIGNED_STORE)
    .description('print the receipt of a decision, directly from the store')
    .option('--workspace <id>', 'id of the workspace; optional if there is only one')
    .addHelpText('after', shown('writecheck audit prove dec_0190… > receipt.json'))
    .action(async (id: string, options) => (await import('./audit-store.ts')).proveCommand(id, options));

  withSettings(audit.command('prune'), STORE)
    .description('take records out of the log for good; their hashes stay, so that it still verifies')
    .option('--before <date-time>', 'everything older than this, such as 2026-01-01T00:00:00Z')
    .option('--object-ref <ref>', 'every decision about this object, for the right to be forgotten')
    .option('--workspace <id>', 'the workspace; with --before all of them where left out')
    .option('--yes', 'do it; without, nothing is changed', false)
    .addHelpText(
      'after',
      shown(
        'writecheck audit prune --before 2026-01-01T00:00:00Z --yes',
        'writecheck audit prune --object-ref C-1001 --yes',
      ),
    )
    .action(async (options) => (await import('./audit-store.ts')).pruneCommand(options));

  withSettings(audit.command('restore'), SIGNED_STORE)
    .description('after a restored backup: start a new log that names the checkpoint it continues from')
    .addHelpText('after', shown('writecheck audit restore --data ./.writecheck'))
    .action(async (options) => (await import('./audit-store.ts')).restoreCommand(options));

  undeterminedOnMisuse(audit.command('witness'))
    .description("keep a service's checkpoints, and check that each extends the one before")
    .argument('<url>', 'the service')
    .option('--out <folder>', 'where checkpoints are kept', './writecheck-witness')
    .option('--keys <file-or-line...>', 'verifier keys; where left out those seen first are kept and held to')
    .option('--every <seconds>', 'go on and look again every so often')
    .addHelpText(
      'after',
      shown(
        'writecheck audit witness https://writecheck.example.com',
        'writecheck audit witness https://writecheck.example.com --every 60',
      ) + EXIT_CODES,
    )
    .action(async (url: string, options) =>
      (await import('./audit-witness.ts')).witnessCommand(url, options),
    );
}
