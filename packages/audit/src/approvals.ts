/** `writecheck audit approvals`: who approved what in an export, as CSV or JSON. */
import { parseInstant } from '@writecheck/contract';
import { parseExportLine } from '@writecheck/ledger';
import { undetermined } from './fail.ts';
import { linesOf } from './files.ts';
import { type Approval, ApprovalCollector } from './list-approvals.ts';

export interface ApprovalsOptions {
  readonly from?: string;
  readonly to?: string;
  readonly format: string;
}

export async function approvalsCommand(file: string, options: ApprovalsOptions): Promise<void> {
  const { format } = options;
  if (format !== 'csv' && format !== 'json') throw undetermined('--format must be `csv` or `json`');
  const fromMs = momentOf(options.from, '--from') ?? 0;
  const toMs = momentOf(options.to, '--to') ?? Number.POSITIVE_INFINITY;
  const approvals = (await approvalsIn(file)).filter(({ at }) => {
    const atMs = Date.parse(at);
    return atMs >= fromMs && atMs < toMs;
  });
  const text = format === 'json' ? `${JSON.stringify(approvals, null, 2)}\n` : csvOf(approvals);
  process.stdout.write(text);
}

async function approvalsIn(file: string): Promise<readonly Approval[]> {
  const collector = new ApprovalCollector();
  for (const step of ['collect', 'complete'] as const) {
    let isClosed = false;
    for await (const { text } of linesOf(file, 'reading')) {
      const line = parseExportLine(text);
      if (line === null) throw undetermined(`\`${file}\` is not an export; verify it first`);
      if (line.kind === 'trailer') isClosed = true;
      collector[step](line);
    }
    if (!isClosed) throw undetermined(`\`${file}\` ends before its trailer: the file is truncated`);
  }
  return collector.approvals();
}

function momentOf(text: string | undefined, flag: string): number | null {
  if (text === undefined) return null;
  const instant = parseInstant(text);
  if (instant === null || !instant.hasOffset) {
    throw undetermined(`${flag} must be an RFC 3339 date-time with an offset, such as 2026-01-31T12:00:00Z`);
  }
  return instant.ms;
}

const COLUMNS = [
  ['review', ({ review }) => review],
  ['system', ({ system }) => system],
  ['objectType', ({ objectType }) => objectType],
  ['objectRef', ({ objectRef }) => objectRef],
  ['field', ({ field }) => field],
  ['operation', ({ operation }) => operation],
  ['authorityValue', ({ authorityValue }) => authorityValue],
  ['agentValue', ({ agentValue }) => agentValue],
  ['intentDigest', ({ intentDigest }) => intentDigest],
  ['controls', ({ controls }) => controls.join(' ')],
  ['byKind', ({ by }) => by.kind],
  ['byId', ({ by }) => by.id],
  ['identity', ({ identity }) => identity],
  ['credential', ({ credential }) => credential],
  ['at', ({ at }) => at],
  ['approvedAt', ({ approvedAt }) => approvedAt],
  ['usedBy', ({ usedBy }) => usedBy],
  ['usedAt', ({ usedAt }) => usedAt],
  ['cancelledAt', ({ cancelledAt }) => cancelledAt],
] as const satisfies readonly (readonly [string, (approval: Approval) => string | null])[];

function csvOf(approvals: readonly Approval[]): string {
  const rows = approvals.map((approval) => COLUMNS.map(([, value]) => cellOf(value(approval) ?? '')));
  return [COLUMNS.map(([name]) => name), ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}

/** RFC 4180. INVARIANT: a caller's text never becomes a formula in the spreadsheet that opens the file. */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
