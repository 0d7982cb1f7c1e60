/** The command `reconcile`; its code is loaded only when it runs. */
import type { Command } from 'commander';

const EXIT_CODES = `
Exit codes:
  0 an allow covers every change (late, observed and development allows count too)
  5 a change was made after a block or a pause, with another value, or without a check
  2 it could not be determined (a line, a file or the export is unreadable or truncated, the service refuses,
    or a change is an operation that --operations does not map)
  1 wrong arguments
`;

/** Adds it to `parent`; `calledAs` is how the user calls that, such as `writecheck`. */
export function addReconcileCommand(parent: Command, calledAs: string): void {
  parent
    .command('reconcile')
    .description('find changes in a system of record that no decision allowed')
    .argument('<changes>', 'the change history: NDJSON, or CSV whose first line names the columns')
    .option('--export <file>', 'an export of the log; verify it first')
    .option('--service <url>', 'fetch the export from a running service instead')
    .option('--key <key>', 'an owner key for --service [WRITECHECK_OWNER_KEY]')
    .requiredOption('--system <name>', 'the system the changes come from, as agents name it')
    .option('--columns <file>', "YAML that maps time, objectType, objectRef, … to the file's own columns")
    .option(
      '--operations <file>',
      'YAML: which members of an intent name the object and value of an operation',
    )
    .option('--window <duration>', 'how long after its allow expired a write may still arrive', '15m')
    .option('--skew <duration>', "how much earlier than its decision a change's time may be", '5s')
    .option('--json', 'print the report as JSON', false)
    .option('--junit <file>', 'also write the findings as JUnit XML')
    .addHelpText(
      'after',
      `
Examples:
  $ ${calledAs} reconcile changes.csv --export 2026.ndjson --system erp
  $ ${calledAs} reconcile changes.csv --service https://writecheck.example.com --system erp --json
${EXIT_CODES}`,
    )
    .action(async (changes: string, options) =>
      (await import('./command.ts')).reconcileCommand(changes, options),
    );
}
