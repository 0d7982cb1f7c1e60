import { canonicalJson } from '@writecheck/contract';
import { describe, expect, it } from 'vitest';
import { exportOf, exportText, header, OTHER_WORKSPACE, TestLog, WORKSPACE } from '../test/test-log.ts';
import { reviewEntry, reviewLogEntry } from '../test/test-reviews.ts';
import { SIGNER } from '../test/test-signer.ts';
import type { ReviewEvent } from './review-entry.ts';
import { ReviewOrder } from './review-order.ts';
import { verifyExport } from './verify-export.ts';

function problemOf(...events: readonly ReviewEvent[]): string | null {
  const order = new ReviewOrder();
  return events.map((event) => order.add(reviewEntry({ event }))).find((problem) => problem !== null) ?? null;
}

describe('the events of a review', () => {
  it.each<readonly ReviewEvent[]>([
    ['opened', 'asked', 'commented', 'verdict', 'withdrawn', 'verdict', 'approved'],
    ['opened', 'verdict', 'approved', 'asked', 'cancelled', 'asked'],
    ['opened', 'verdict', 'rejected', 'asked'],
    ['opened', 'expired'],
    ['opened', 'cancelled'],
    // The earlier events were pruned or are in another log.
    ['verdict', 'approved'],
    ['cancelled'],
  ])('%s, %s … may follow each other', (...events) => {
    expect(problemOf(...events)).toBeNull();
  });

  it.each<readonly ReviewEvent[]>([
    ['opened', 'opened'],
    ['opened', 'rejected', 'verdict'],
    ['opened', 'approved', 'rejected'],
    ['opened', 'approved', 'approved'],
    ['opened', 'approved', 'commented'],
    ['opened', 'approved', 'cancelled', 'cancelled'],
    ['opened', 'expired', 'cancelled'],
    ['opened', 'rejected', 'asked', 'approved'],
    ['opened', 'cancelled', 'withdrawn'],
    ['approved', 'opened'],
  ])('%s, %s … cannot follow each other', (...events) => {
    expect(problemOf(...events)).not.toBeNull();
  });

  it('of other reviews and of other logs are kept apart', () => {
    const order = new ReviewOrder();
    for (const changes of [{}, { review: 'rev_2' }, { log: 'w2' }]) {
      expect(order.add(reviewEntry({ event: 'approved', ...changes }))).toBeNull();
    }
  });

  it('are forgotten once no further event is possible', () => {
    const order = new ReviewOrder();
    const at = (days: number) => new Date(Date.UTC(2026, 0, 1) + days * 86_400_000).toISOString();
    order.add(reviewEntry({ event: 'opened', timestamp: at(0) }));
    order.add(reviewEntry({ review: 'rev_2', timestamp: at(31) }));
    expect(order.add(reviewEntry({ event: 'opened', timestamp: at(31) }))).not.toBeNull();
    order.add(reviewEntry({ review: 'rev_3', timestamp: at(31.1) }));
    expect(order.add(reviewEntry({ event: 'opened', timestamp: at(31.1) }))).toBeNull();
  });
});

describe('an export', () => {
  const verdictOf = (log: TestLog) => verifyExport(exportOf(log), { keys: [SIGNER.line] });
  const other = (changes: object = {}) => ({
    bytes: Buffer.from(canonicalJson({ kind: 'notice', log: 'w1', workspace: WORKSPACE, ...changes })),
  });

  it('with reviews and with entries of unknown kinds verifies, and counts them', async () => {
    const log = new TestLog([reviewLogEntry(), other(), reviewLogEntry({ event: 'rejected' })]);
    const verdict = await verdictOf(log);
    expect(verdict).toMatchObject({ ok: true, counts: { reviewEntries: 2, otherEntries: 1 } });
    expect(verdict.words).toContain(
      '0 decisions with their records, 0 redemptions, 2 review entries and ' +
        '1 entry of a kind this version does not know (`notice`); no entry is shown only by its hash',
    );
  });

  it('is refused if a review continues after its end, at that entry', async () => {
    const log = new TestLog([reviewLogEntry({ event: 'rejected' }), reviewLogEntry({ event: 'verdict' })]);
    expect(await verdictOf(log)).toMatchObject({
      ok: false,
      fault: { code: 'review_order', log: 'w1', index: 1 },
    });
  });

  it('is refused if such an entry is changed, belongs to another log or workspace, or has a record', async () => {
    const honest = new TestLog([other()]);
    const forged = new TestLog([other({ more: 1 })]).entryLines();
    const lines = exportText([header([{ log: honest }]), ...forged]);
    expect((await verifyExport(lines, { keys: [SIGNER.line] })).ok).toBe(false);
    const codes = [
      ['other_workspace', other({ workspace: OTHER_WORKSPACE })],
      ['other_workspace', reviewLogEntry({ workspace: OTHER_WORKSPACE })],
      ['log_mismatch', other({ log: 'w2' })],
      ['log_mismatch', reviewLogEntry({ log: 'w2' })],
      ['record_unexpected', { ...other(), record: Buffer.from('x') }],
    ] as const;
    for (const [code, entry] of codes) {
      expect(await verdictOf(new TestLog([entry])), code).toMatchObject({ ok: false, fault: { code } });
    }
  });
});
