/** The commands that need files or a running service, but no store; each is loaded only when it runs. */
import { examples } from '@writecheck/contract/command';
import { type Command, Option } from 'commander';
import { undeterminedOnMisuse } from './fail.ts';

const EXIT_CODES = `
Exit codes:
  0 verified, 1 not verified, 2 it could not be determined (a file or a response is missing or unreadable)
`;

/** Adds the commands to `audit`; `calledAs` is how the user calls it, such as `writecheck audit`. */
export function addAuditCommands(audit: Command, calledAs: string): void {
  addExport(audit, calledAs);
  addVerify(audit, calledAs);
  addReplay(audit, calledAs);
}

function addExport(audit: Command, calledAs: string): void {
  audit
    .command('export')
    .description('fetch the log of a workspace from a running service, with an owner key')
    .option('--url <url>', 'the service [WRITECHECK_URL, default http://127.0.0.1:8080]')
    .option('--key <key>', 'an owner key [WRITECHECK_OWNER_KEY]')
    .option('--from <date-time>', 'include records from this time on; show others by hash only')
    .option('--to <date-time>', 'include records before this time; show others by hash only')
    .option('--key-id <id>', 'only decisions that this key asked for; show others by hash only')
    .option('--object-ref <ref>', 'only decisions about this object; show others by hash only')
    .option(
      '--since <file...>',
      'begin after checkpoints that you trust, kept by `verify --keep`; verify with the same --since',
    )
    .option('--out <file>', 'file to write to (default: stdout); compressed if its name ends with .zst')
    .addOption(
      new Option('--compress <format>', 'compress what is written; every command reads it').choices(['zstd']),
    )
    .option('--resume', 'continue an interrupted export; use the same --from and --to', false)
    .addHelpText(
      'after',
      examples(
        `${calledAs} export --out 2026.ndjson`,
        `${calledAs} export --out 2026.ndjson --resume`,
        `${calledAs} export --key-id key_0190… --out leaked-key.ndjson.zst`,
      ),
    )
    .action(async (options) => (await import('./export.ts')).exportCommand(options, calledAs));
}

function addVerify(audit: Command, calledAs: string): void {
  undeterminedOnMisuse(audit.command('verify'))
    .description('verify offline: an export, a receipt, or that one checkpoint extends another')
    .argument('<file>', 'an export, a receipt, or the older checkpoint')
    .argument('[newer]', 'the newer checkpoint')
    .requiredOption('--keys <file-or-line...>', 'verifier keys, saved earlier from `GET /v1/audit/key`')
    .option('--known <file...>', 'checkpoints saved earlier, or files of `verify --keep`')
    .option(
      '--since <file...>',
      'checkpoints that you trust: an export that begins after them is verified from there, and says what was not read',
    )
    .option('--keep <file>', 'once verified, write the checkpoints of the export here, for the next --since')
    .option(
      '--continued <log...>',
      'logs whose continuation you accept; the result lists what was lost before each',
    )
    .option('--workspace <id>', 'the workspace it must belong to')
    .option('--intent <file>', 'the write that a receipt must be for, as JSON')
    .option('--proof <file>', 'the response of `GET /v1/audit/consistency` for the two checkpoints')
    .addHelpText(
      'after',
      examples(
        `${calledAs} verify 2026.ndjson --keys audit.key --known checkpoints`,
        `${calledAs} verify tonight.ndjson --keys audit.key --since trusted.jsonl --keep trusted.jsonl`,
        `${calledAs} verify receipt.json --keys audit.key --intent intent.json`,
        `${calledAs} verify older.txt newer.txt --proof proof.json --keys audit.key`,
      ) + EXIT_CODES,
    )
    .action(async (file: string, newer: string | undefined, options) =>
      (await import('./verify.ts')).verifyCommand(file, newer, options),
    );
}

function addReplay(audit: Command, calledAs: string): void {
  undeterminedOnMisuse(audit.command('replay'))
    .description('repeat every decision of an export offline, and report each byte that differs')
    .argument('<file>', 'an export; verify it first')
    .addHelpText('after', examples(`${calledAs} replay 2026.ndjson`) + EXIT_CODES)
    .action(async (file: string) => (await import('./replay.ts')).replayCommand(file));
}
