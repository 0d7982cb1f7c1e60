/** `reconcile`: finds the changes in a system of record that no decision allowed. */
import { writeFile } from 'node:fs/promises';
import { DURATION_PATTERN, durationMs } from '@writecheck/contract';
import { CommandFailure, DEFAULT_URL, isServiceUrl, ownerKey } from '@writecheck/contract/command';
import { requestExport } from '../export.ts';
import { undetermined } from '../fail.ts';
import { chunksOf, type FileLine, linesIn, linesOf } from '../files.ts';
import { readColumns } from './columns.ts';
import { exportedFacts } from './exported-facts.ts';
import { readOperations } from './operations.ts';
import { readChanges } from './read-changes.ts';
import { reconcile } from './reconcile.ts';
import { exitCodeOf } from './report.ts';
import { reportJson, reportJunit } from './report-files.ts';
import { reportText } from './report-text.ts';

export interface ReconcileOptions {
  readonly export?: string;
  readonly service?: string;
  readonly key?: string;
  readonly system: string;
  readonly columns?: string;
  readonly operations?: string;
  readonly window: string;
  readonly skew: string;
  readonly json: boolean;
  readonly junit?: string;
}

export async function reconcileCommand(changesFile: string, options: ReconcileOptions): Promise<void> {
  const windowMs = durationOf(options.window, '--window');
  const skewMs = durationOf(options.skew, '--skew');
  if (options.system === '') throw new CommandFailure('--system must name a system');
  const source = sourceOf(options);
  const columns = await readColumns(options.columns);
  const operations = await readOperations(options.operations);
  const report = await reconcile({
    system: options.system,
    windowMs,
    skewMs,
    changes: readChanges(chunksOf(changesFile, 'reading changes'), columns, `\`${changesFile}\``),
    operations,
    facts: exportedFacts(source.lines(), source.name),
  });
  process.stdout.write(options.json ? reportJson(report) : reportText(report));
  process.exitCode = exitCodeOf(report);
  if (options.junit === undefined) return;
  try {
    await writeFile(options.junit, reportJunit(report));
  } catch {
    throw new CommandFailure(`\`${options.junit}\` cannot be written`, exitCodeOf(report) || 1);
  }
}

interface ExportSource {
  readonly name: string;
  lines(): AsyncIterable<FileLine>;
}

function sourceOf(options: ReconcileOptions): ExportSource {
  const { export: file, service } = options;
  if (file !== undefined && service === undefined) {
    return { name: `\`${file}\``, lines: () => linesOf(file, 'reading decisions') };
  }
  if (service === undefined || file !== undefined)
    throw new CommandFailure('give either --export with a file or --service with a URL');
  if (!isServiceUrl(service))
    throw new CommandFailure(`\`${service}\` is not the URL of a service, such as ${DEFAULT_URL}`);
  const key = ownerKey(options.key);
  const url = new URL('/v1/audit/export', service);
  return { name: `the export of \`${url.origin}\``, lines: () => linesIn(fetched(url, key)) };
}

async function* fetched(url: URL, key: string): AsyncGenerator<Uint8Array> {
  const response = await requestExport(url, key);
  try {
    yield* response.body!;
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw undetermined(`the export of \`${url.origin}\` was interrupted; try again, or use --export`);
  }
}

function durationOf(text: string, flag: string): number {
  if (DURATION_PATTERN.test(text)) return durationMs(text);
  throw new CommandFailure(`${flag} must be a duration such as \`90s\`, \`15m\`, \`1h\` or \`7d\``);
}
