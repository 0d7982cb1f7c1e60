/** Allows that no change shows, and reported outcomes compared with the changes. */
import { expect, test } from 'vitest';
import { bytesFrom, exportOf, linesFrom, type MadeDecision } from '../../test/export-kit.ts';
import { readColumns } from './columns.ts';
import { exportedFacts } from './exported-facts.ts';
import { readChanges } from './read-changes.ts';
import { reconcile } from './reconcile.ts';
import { exitCodeOf } from './report.ts';
import { reportJunit } from './report-files.ts';
import { reportText } from './report-text.ts';

const T = Date.UTC(2026, 10, 15, 21);
const MINUTE = 60_000;
const TARGET = { system: 'erp', objectType: 'vendor', field: 'terms' };
/** Times before and after everything else, so that every decision is in the range of the changes. */
const EDGES = [T - 60 * MINUTE, T + 60 * MINUTE];

function allow(id: string, objectRef: string, outcomes: MadeDecision['outcomes'] = []): MadeDecision {
  return { id, atMs: T, outcomes, intent: { ...TARGET, objectRef, agentValue: 'NET30' } };
}

async function reportOf(found: readonly string[], decisions: readonly MadeDecision[]) {
  const changes = [
    ...EDGES.map((at, place) => ({ at, objectRef: `edge ${place}` })),
    ...found.map((objectRef) => ({ at: T + MINUTE, objectRef })),
  ];
  const lines = changes.map(({ at, objectRef }) =>
    JSON.stringify({
      ...TARGET,
      objectRef,
      newValue: 'NET30',
      time: new Date(at).toISOString(),
      actor: 'svc',
    }),
  );
  const edges = EDGES.map((atMs, place) => ({ ...allow(`dec_edge${place}`, `edge ${place}`), atMs }));
  return reconcile({
    ...{ system: 'erp', windowMs: 15 * MINUTE, skewMs: 5_000, operations: new Map() },
    changes: readChanges(bytesFrom(lines.join('\n'), 64), await readColumns(undefined), 'changes'),
    facts: exportedFacts(linesFrom(exportOf([...edges, ...decisions])), 'the export'),
  });
}

test('a write that is reported as done and not found is a finding with exit code 5', async () => {
  const report = await reportOf(
    ['V-1'],
    [
      allow('dec_1', 'V-1', [{ result: 'done' }]),
      allow('dec_2', 'V-2', [{ result: 'done' }]),
      allow('dec_3', 'V-3'),
    ],
  );
  expect(report.outcomes).toEqual({ doneNotFound: 1, failedButFound: 0 });
  expect(report.outcomeFindings).toEqual([
    {
      class: 'doneNotFound',
      decision_id: 'dec_2',
      time: new Date(T).toISOString(),
      objectType: 'vendor',
      objectRef: 'V-2',
      field: 'terms',
    },
  ]);
  expect(report.notCarriedOut).toBe(2);
  expect(exitCodeOf(report)).toBe(5);
  for (const text of [reportText(report), reportJunit(report)]) expect(text).toContain('dec_2');
  expect(reportText(report)).toContain('the changes contradict 1 reported outcome');
});

test('an allow that was not carried out is listed with its object and field, and changes no exit code', async () => {
  const report = await reportOf(['V-1'], [allow('dec_1', 'V-1'), allow('dec_2', 'V-2\u001b[2J')]);
  const time = new Date(T).toISOString();
  expect(report.allowsNotCarriedOut).toEqual([
    { decision_id: 'dec_2', time, objectType: 'vendor', objectRef: 'V-2\u001b[2J', field: 'terms' },
  ]);
  expect(reportText(report)).toContain(
    `not carried out\n  ${time}  vendor \`V-2\\u{1b}[2J\` terms, see dec_2\n`,
  );
  expect(exitCodeOf(report)).toBe(0);
});

test('of many allows that were not carried out the oldest 1,000 are listed, and all are counted', async () => {
  const many = Array.from({ length: 1_002 }, (_, i) => ({
    ...allow(`dec_${String(i).padStart(4, '0')}`, `V-${i}`),
    atMs: T + i,
  }));
  const report = await reportOf([], many.toReversed());
  expect([report.notCarriedOut, report.allowsNotCarriedOut.length]).toEqual([1_002, 1_000]);
  expect(report.allowsNotCarriedOut.at(-1)).toMatchObject({ decision_id: 'dec_0999', objectRef: 'V-999' });
  expect(reportText(report)).toContain('dec_0999\n  and 2 more\n');
});

test('a write that is reported as failed and found is a finding, with the line of the change', async () => {
  const report = await reportOf(['V-1'], [allow('dec_1', 'V-1', [{ result: 'failed' }])]);
  expect(report.outcomes).toEqual({ doneNotFound: 0, failedButFound: 1 });
  expect(report.outcomeFindings).toMatchObject([{ class: 'failedButFound', decision_id: 'dec_1', line: 3 }]);
  expect(exitCodeOf(report)).toBe(5);
});

test('a write that failed, was checked again and was then done contradicts nothing', async () => {
  const report = await reportOf(
    ['V-1'],
    [allow('dec_1', 'V-1', [{ result: 'failed' }]), allow('dec_2', 'V-1', [{ result: 'done' }])],
  );
  expect(report.outcomes).toEqual({ doneNotFound: 0, failedButFound: 0 });
  expect(exitCodeOf(report)).toBe(0);
});

test('an outcome by an owner, an unknown one, and none are not judged', async () => {
  const report = await reportOf(
    ['V-1', 'V-4'],
    [
      allow('dec_1', 'V-1', [{ result: 'unknown' }, { result: 'failed', byOwner: true }]),
      allow('dec_2', 'V-2', [{ result: 'unknown' }, { result: 'done', byOwner: true }]),
      allow('dec_3', 'V-3', [{ result: 'unknown' }]),
      allow('dec_4', 'V-4'),
    ],
  );
  expect(report.outcomes).toEqual({ doneNotFound: 0, failedButFound: 0 });
  expect(report.outcomeFindings).toEqual([]);
  expect(exitCodeOf(report)).toBe(0);
});

test('among several outcomes the one after `unknown` counts', async () => {
  const report = await reportOf(
    ['V-2'],
    [
      allow('dec_1', 'V-1', [{ result: 'unknown' }, { result: 'done' }]),
      allow('dec_2', 'V-2', [{ result: 'unknown' }, { result: 'failed' }, { result: 'unknown' }]),
    ],
  );
  expect(report.outcomes).toEqual({ doneNotFound: 1, failedButFound: 1 });
});
