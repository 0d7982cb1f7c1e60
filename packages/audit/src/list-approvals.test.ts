import { REVIEW_DESK } from '@writecheck/contract';
import { type ExportLine, encodeBase64, leafBytes, reviewEntryBytes } from '@writecheck/ledger';
import { expect, test } from 'vitest';
import { ApprovalCollector } from './list-approvals.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
function at(second: number): string {
  return new Date(Date.UTC(2026, 10, 15, 4, 0, second)).toISOString();
}

function decisionLine(id: string, second: number, decision: 'allow' | 'pause', items: object): ExportLine {
  const record = {
    ...{
      version: 'writecheck.record.v1',
      decision_id: id,
      facts: [],
      decision: { consumes: [], restsOn: [], ...items },
    },
    intent: { system: 'erp', objectRef: 'V-1', field: 'iban' },
  };
  const leaf = leafBytes({
    ...{ log: 'w1', decision_id: id, audit_id: 'aud_1', workspace: 'ws_1', keyId: 'key_1', keyKind: 'live' },
    ...{
      timestamp: at(second),
      decision,
      evaluatedDecision: decision,
      reason_code: 'r',
      intentDigest: DIGEST,
    },
    ...{ policyRef: null, validUntil: null, recordDigest: DIGEST },
  });
  const bytes = Buffer.from(JSON.stringify(record));
  return { kind: 'entry', log: 'w1', index: 0, leaf: encodeBase64(leaf), record: encodeBase64(bytes) };
}

function reviewLine(event: 'opened' | 'verdict' | 'approved', second: number, id: string | null): ExportLine {
  const details = {
    opened: { decisionId: 'dec_1' },
    verdict: { verdict: 'approve', controls: ['c'] },
    approved: {},
  };
  const leaf = reviewEntryBytes({
    ...{ kind: 'review', log: 'w2', event, review: 'rev_1', workspace: 'ws_1', intentDigest: DIGEST },
    ...{ timestamp: at(second), by: id === null ? null : { kind: 'person', id }, details: details[event] },
  });
  return { kind: 'entry', log: 'w2', index: 0, leaf: encodeBase64(leaf) };
}

/** The log of the replica that closed the review comes before that of the one that opened it. */
const REVIEW = [
  reviewLine('verdict', 3, 'per_2'),
  reviewLine('approved', 3, null),
  reviewLine('opened', 1, 'key_1'),
  reviewLine('verdict', 2, 'per_1'),
];

function approvalsOf(...lines: readonly ExportLine[]) {
  const collector = new ApprovalCollector();
  for (const line of lines) collector.collect(line);
  for (const line of lines) collector.complete(line);
  return collector.approvals();
}

const asking = decisionLine('dec_1', 0, 'pause', {});

test('each approval of a write is listed by time, with the allow that used it, in whatever order the logs come', () => {
  const item = { source: REVIEW_DESK, jti: 'rev_1:c' };
  for (const items of [
    { consumes: [item] },
    { restsOn: [item] },
    { consumes: [{ ...item, jti: 'rev_1' }] },
  ]) {
    const approvals = approvalsOf(...REVIEW, decisionLine('dec_2', 4, 'allow', items), asking);
    const write = { review: 'rev_1', system: 'erp', objectRef: 'V-1', field: 'iban', intentDigest: DIGEST };
    expect(approvals).toMatchObject([
      { ...write, by: { id: 'per_1' }, at: at(2), approvedAt: at(3), usedBy: 'dec_2', usedAt: at(4) },
      { ...write, by: { id: 'per_2' }, at: at(3), approvedAt: at(3), usedBy: 'dec_2', usedAt: at(4) },
    ]);
  }
});

test('neither a pause nor evidence of another source uses an approval', () => {
  const item = { source: REVIEW_DESK, jti: 'rev_1:c' };
  const paused = decisionLine('dec_2', 4, 'pause', { restsOn: [item] });
  const other = decisionLine('dec_3', 4, 'allow', { restsOn: [{ ...item, source: `not-${REVIEW_DESK}` }] });
  expect(approvalsOf(asking, ...REVIEW, paused, other).map(({ usedBy }) => usedBy)).toEqual([null, null]);
});

test('a review that was not approved lists nothing, and one whose decision is not shown names no write', () => {
  expect(approvalsOf(asking, REVIEW[2]!, REVIEW[3]!)).toEqual([]);
  expect(approvalsOf(...REVIEW)[0]).toMatchObject({ system: null, objectRef: null, field: null });
});
