/** `writecheck audit approvals`: who approved what in an export, as CSV or JSON. */
import { csvLine } from '@writecheck/contract';
import { exportLinesOf } from './export-lines.ts';
import { undetermined } from './fail.ts';
import { type Approval, ApprovalCollector } from './list-approvals.ts';
import { type Period, periodOf } from './period.ts';

export interface ApprovalsOptions extends Period {
  readonly format: string;
}

export async function approvalsCommand(file: string, options: ApprovalsOptions): Promise<void> {
  const { format } = options;
  if (format !== 'csv' && format !== 'json') throw undetermined('--format must be `csv` or `json`');
  const isIn = periodOf(options);
  const approvals = (await approvalsIn(file)).filter(({ at }) => isIn(at));
  const text = format === 'json' ? `${JSON.stringify(approvals, null, 2)}\n` : csvOf(approvals);
  process.stdout.write(text);
}

async function approvalsIn(file: string): Promise<readonly Approval[]> {
  const collector = new ApprovalCollector();
  for (const step of ['collect', 'complete'] as const) {
    for await (const line of exportLinesOf(file)) collector[step](line);
  }
  return collector.approvals();
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
  const rows = approvals.map((approval) => COLUMNS.map(([, value]) => value(approval)));
  return [COLUMNS.map(([name]) => name), ...rows].map(csvLine).join('');
}
