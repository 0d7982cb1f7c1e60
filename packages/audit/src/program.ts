/** The commands that need files or a running service, but no store; each is loaded only when it runs. */
import type { Command } from 'commander';
import { undeterminedOnMisuse } from './fail.ts';
import { addReconcileCommand } from './reconcile/program.ts';

const EXIT_CODES = `
Exit codes:
  0 it holds, 1 it does not hold, 2 it could not be determined (a file or an answer is missing or unreadable)
`;

/** Adds the commands to `audit`; `calledAs` is how the user calls it, such as `writecheck audit`. */
export function addAuditCommands(audit: Command, calledAs: string): void {
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
      shown(`${calledAs} export --out 2026.ndjson`, `${calledAs} export --out 2026.ndjson --resume`),
    )
    .action(async (options) => (await import('./export.ts')).exportCommand(options, calledAs));

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
        `${calledAs} verify 2026.ndjson --keys audit.key --known witness/*.jsonl`,
        `${calledAs} verify receipt.json --keys audit.key --intent intent.json`,
        `${calledAs} verify older.txt newer.txt --proof proof.json --keys audit.key`,
      ) + EXIT_CODES,
    )
    .action(async (file: string, newer: string | undefined, options) =>
      (await import('./verify.ts')).verifyCommand(file, newer, options),
    );

  undeterminedOnMisuse(audit.command('replay'))
    .description('decide every record of an export again, offline, and report each byte that differs')
    .argument('<file>', 'an export; verify it first')
    .addHelpText('after', shown(`${calledAs} replay 2026.ndjson`) + EXIT_CODES)
    .action(async (file: string) => (await import('./replay.ts')).replayCommand(file));

  undeterminedOnMisuse(audit.command('approvals'))
    .description('list who approved which write in an export, and which decision used the approval')
    .argument('<file>', 'an export; verify it first')
    .option('--from <date-time>', 'approvals from this moment on')
    .option('--to <date-time>', 'approvals before this moment')
    .option('--format <format>', 'csv or json', 'csv')
    .addHelpText(
      'after',
      shown(
        `${calledAs} approvals 2026.ndjson > approvals.csv`,
        `${calledAs} approvals 2026.ndjson --from 2026-10-01T00:00:00Z --format json`,
      ),
    )
    .action(async (file: string, options) =>
      (await import('./approvals.ts')).approvalsCommand(file, options),
    );

  addReconcileCommand(audit, calledAs);

  undeterminedOnMisuse(audit.command('witness'))
    .description("keep a service's checkpoints, and check that each extends the one before")
    .argument('<url>', 'the service')
    .option('--out <folder>', 'where checkpoints are kept', './writecheck-witness')
    .option('--keys <file-or-line...>', 'verifier keys; where left out those seen first are kept and held to')
    .option('--every <seconds>', 'go on and look again every so often')
    .addHelpText(
      'after',
      shown(
        `${calledAs} witness https://writecheck.example.com`,
        `${calledAs} witness https://writecheck.example.com --every 60`,
      ) + EXIT_CODES,
    )
    .action(async (url: string, options) => (await import('./witness.ts')).witnessCommand(url, options));
}

function shown(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join('')}`;
}
