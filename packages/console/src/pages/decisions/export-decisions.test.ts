import type { DecisionSummary } from '@writecheck/api';
import { expect, test } from 'vitest';
import { asCsv, asNdjson } from './export-decisions.ts';

const ROW: DecisionSummary = {
  audit_id: 'aud_1',
  decision_id: 'dec_1',
  keyId: 'key_1',
  keyName: 'ap-bot',
  timestamp: '2026-11-16T06:00:00.000Z',
  decision: 'pause',
  evaluatedDecision: 'pause',
  reason_code: 'CONTROL_FAILED',
  system: '=cmd()',
  objectType: 'a "quoted", name',
  objectRef: 'line\nbreak',
  field: null,
  operation: null,
  workflowId: null,
  runId: '-1',
};

test('a CSV cell cannot become a formula or another cell', () => {
  const csv = asCsv([ROW]);
  expect(csv).toContain(",'=cmd(),");
  expect(csv).toContain('"a ""quoted"", name"');
  expect(csv).toContain('"line\nbreak"');
  expect(csv).toContain(",'-1,");
  expect(csv.split('\r\n')).toHaveLength(3);
});

test('each line of NDJSON is one decision', () => {
  expect(
    asNdjson([ROW, ROW])
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([ROW, ROW]);
});
