/** Lists of decisions as CSV or NDJSON. */
import type { DecisionSummary, Key } from '@writecheck/api';

const COLUMNS = [
  'timestamp',
  'decision',
  'evaluatedDecision',
  'reason_code',
  'system',
  'objectType',
  'objectRef',
  'field',
  'operation',
  'workflowId',
  'runId',
  'keyId',
  'keyName',
  'decision_id',
] as const;

type Row = DecisionSummary & { readonly keyName: string | null };

function named(rows: readonly DecisionSummary[], keys: ReadonlyMap<string, Key>): readonly Row[] {
  return rows.map((row) => ({ ...row, keyName: keys.get(row.keyId)?.name ?? null }));
}

export function asCsv(rows: readonly DecisionSummary[], keys: ReadonlyMap<string, Key>): string {
  const lines = named(rows, keys).map((row) => COLUMNS.map((column) => cell(row[column])).join(','));
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
}

export function asNdjson(rows: readonly DecisionSummary[], keys: ReadonlyMap<string, Key>): string {
  return named(rows, keys)
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('');
}

/** A spreadsheet would run a caller's text that begins like a formula, so such a text gets an apostrophe. */
function cell(value: string | null): string {
  const text = value ?? '';
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
