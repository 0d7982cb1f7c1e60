import { REVIEW_DESK } from '@writecheck/contract';
import { type ExportLine, encodeBase64, parseExportLine, reviewEntryBytes } from '@writecheck/ledger';
import { expect, test } from 'vitest';
import { exportOf } from '../test/export-kit.ts';
import { UsedApprovals } from './used-approvals.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

function reviewLine(event: 'opened' | 'verdict' | 'approved', verdict = 'approve'): ExportLine {
  const leaf = reviewEntryBytes({
    ...{ kind: 'review', log: 'w2', event, review: 'rev_1', workspace: 'ws_1', intentDigest: DIGEST },
    timestamp: '2026-11-15T04:00:00.000Z',
    by: { kind: 'person', id: 'per_1' },
    details: event === 'verdict' ? { verdict, controls: ['c'] } : {},
  });
  return { kind: 'entry', log: 'w2', index: 0, leaf: encodeBase64(leaf) };
}

/** An allow or pause that uses these items. */
function decisionLine(decision: 'allow' | 'pause', ...jtis: readonly string[]): ExportLine {
  const line = exportOf([{ id: 'dec_1', atMs: 0, decision, intent: {} }])[1]!;
  const restsOn = jtis.map((jti) => ({ source: REVIEW_DESK, jti }));
  const record = {
    ...{ version: 'writecheck.record.v1', facts: [] },
    ...{ decision: { consumes: [], restsOn }, intent: {} },
  };
  const parsed = parseExportLine(line) as ExportLine & { readonly kind: 'entry' };
  return { ...parsed, record: encodeBase64(Buffer.from(JSON.stringify(record))) };
}

function unshownIn(...lines: readonly ExportLine[]) {
  const approvals = new UsedApprovals();
  for (const line of lines) approvals.add(line);
  return approvals.unshown();
}

const REVIEW = [reviewLine('opened'), reviewLine('verdict'), reviewLine('approved')];
const USE = decisionLine('allow', 'rev_1:c');

test('an approval whose verdicts are shown is not mentioned, in whatever order the logs come', () => {
  expect(unshownIn(...REVIEW, USE)).toEqual([]);
  expect(unshownIn(USE, ...REVIEW)).toEqual([]);
});

test('a used approval is named if its opening, its verdict or its closing is not shown', () => {
  const named = [{ review: 'rev_1', usedBy: 'dec_1' }];
  expect(unshownIn(USE)).toEqual(named);
  for (const left of REVIEW.keys()) expect(unshownIn(USE, ...REVIEW.toSpliced(left, 1))).toEqual(named);
  expect(unshownIn(USE, REVIEW[0]!, reviewLine('verdict', 'reject'), REVIEW[2]!)).toEqual(named);
});

test('decisions that used no approval are not mentioned', () => {
  expect(unshownIn(decisionLine('pause', 'rev_1:c'), decisionLine('allow'), REVIEW[0]!)).toEqual([]);
});
