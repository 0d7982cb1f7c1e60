/** Lists of decisions as CSV or NDJSON. */
import type { DecisionSummary } from '@writecheck/api';

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

export function asCsv(rows: readonly DecisionSummary[]): string {
  const lines = rows.map((row) => COLUMNS.map((column) => cell(row[column])).join(','));
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
}

export function asNdjson(rows: readonly DecisionSummary[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** A spreadsheet would run a caller's text that begins like a formula, so such a text gets an apostrophe. */
function cell(value: string | null): string {
  const text = value ?? '';
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
