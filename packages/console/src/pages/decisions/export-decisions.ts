/** Lists of decisions as CSV or NDJSON. */
import type { DecisionSummary } from '@writecheck/api';
import { csvOf } from '../../components/download.ts';

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
  return csvOf(COLUMNS, rows);
}

export function asNdjson(rows: readonly DecisionSummary[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
