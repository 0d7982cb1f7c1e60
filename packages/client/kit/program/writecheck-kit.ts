/** The command `writecheck-kit`: runs the fail-closed kit against a wrapper in any language. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startHttpDriver } from './http-driver.ts';
import { createSession, type KitSession } from './kit-session.ts';
import { type KitVerdict, runKit } from './run-kit.ts';
import { startStdioDriver } from './stdio-driver.ts';

const HELP = `Usage: writecheck-kit [options] -- COMMAND [ARGUMENTS]
       writecheck-kit [options] --http PORT

Runs a wrapper of Writecheck against a hostile service: silence, resets, forged and late decisions, lies about reviews.
The wrapper runs in a driver, a small program in any language. The kit starts COMMAND and talks to it in lines of JSON;
with --http the driver sends the same messages to the kit. docs/fail-closed-kit.md describes the protocol.

Options:
  --timeout-ms N   the timeout of the wrapper [2000]
  --no-reviews     leave out the scenarios for wrappers that open reviews
  --only TEXT      run only scenarios whose name contains TEXT
  --report FILE    write the verdict as JSON, with every scenario
  --http PORT      listen on 127.0.0.1 for a driver; 0 chooses a free port

Exit codes: 0 the wrapper passed, 1 it failed, 2 the command is wrong
`;
const FAILURES_SHOWN_MAX = 50;
/** Longer than any scenario takes. */
const STALL_MS = 120_000;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'timeout-ms': { type: 'string', default: '2000' },
      'no-reviews': { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      report: { type: 'string' },
      http: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return say(HELP, 0);
  const timeoutMs = wholeNumber('--timeout-ms', values['timeout-ms']);
  if (timeoutMs === 0) throw new TypeError('--timeout-ms must be above 0');
  if ((values.http === undefined) === (positionals.length === 0))
    throw new TypeError('give either a command after -- or --http PORT');
  const session = createSession(STALL_MS);
  const driver =
    values.http === undefined
      ? startStdioDriver(positionals, session)
      : await listening(wholeNumber('--http', values.http), session);
  const verdict = await runKit(session, { timeoutMs, reviews: !values['no-reviews'], only: values.only });
  await driver.close();
  const { fault } = session;
  const closed: KitVerdict = fault === undefined ? verdict : { ...verdict, passed: false, fault };
  if (values.report !== undefined) writeFileSync(values.report, `${JSON.stringify(closed, null, 2)}\n`);
  return say(textOf(closed), closed.passed ? 0 : 1);
}

async function listening(port: number, session: KitSession) {
  const driver = await startHttpDriver(port, session);
  process.stdout.write(`writecheck-kit listens on ${driver.url}\n`);
  return driver;
}

function textOf({ passed, scenarios, fault, failures }: KitVerdict): string {
  const lines = failures
    .slice(0, FAILURES_SHOWN_MAX)
    .map(({ scenario, expect, writes, settled, wronglySays }) => {
      const must = expect === 'executed' ? 'must write once' : 'must not write';
      const says = wronglySays === undefined ? '' : `, says ${JSON.stringify(wronglySays.slice(0, 64))}`;
      return `FAIL  ${scenario}: ${must}, wrote ${writes} times${settled ? '' : ', did not end in time'}${says}`;
    });
  if (failures.length > lines.length) lines.push(`... and ${failures.length - lines.length} more`);
  if (fault !== undefined) lines.push(`FAULT ${fault}`);
  const counts = `${scenarios} scenarios, ${scenarios - failures.length} passed, ${failures.length} failed`;
  return `${[...lines, `${passed ? 'PASS' : 'FAIL'}  ${counts}`].join('\n')}\n`;
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new TypeError(`${name} takes a whole number, not \`${text}\``);
}

function say(text: string, exitCode: number): number {
  process.stdout.write(text);
  return exitCode;
}

main().then(
  (exitCode) => process.exit(exitCode),
  (error: Error) => {
    process.stderr.write(`writecheck-kit: ${error.message}\nrun it with --help to see all options\n`);
    process.exit(2);
  },
);
