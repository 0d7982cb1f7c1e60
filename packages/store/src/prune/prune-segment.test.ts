import {
  continuationBytes,
  leafBytes,
  type NotedEntry,
  notedEntryBytes,
  redemptionBytes,
  reviewEntryBytes,
} from '@writecheck/ledger';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newEntry } from '../../test/store-contract/store-contract-values.ts';
import type { PruneQuery } from '../port.ts';
import { decodeSegment, encodeSegment, type SegmentEntry } from '../segment.ts';
import { isNamed, pruneSegment } from './prune-segment.ts';
import { reviewsAtPrune } from './reviews-at-prune.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;
const NOTHING = Buffer.alloc(0);
const DAY_MS = 24 * 60 * 60 * 1_000;
const NO_REVIEWS = reviewsAtPrune([], [], 0, []);

interface Draft {
  readonly workspace: string;
  readonly atMs: number;
  readonly objectRef: string;
  readonly isRedeemed: boolean;
}

function decisionOf({ workspace, atMs, objectRef }: Draft) {
  const { record, leaf } = newEntry({ atMs, objectRef });
  const decision: SegmentEntry = {
    record: Buffer.concat([Buffer.from(record.before), record.intent, Buffer.from(record.after)]),
    leaf: Buffer.from(leafBytes({ ...leaf, log: 'l', workspace, keyKind: 'live', recordDigest: DIGEST })),
  };
  const redemption: SegmentEntry = {
    record: NOTHING,
    leaf: Buffer.from(
      redemptionBytes({
        kind: 'redemption',
        log: 'l',
        decision_id: leaf.decision_id,
        workspace,
        keyId: 'key_1',
        keyKind: 'live',
        intentDigest: DIGEST,
        timestamp: leaf.timestamp,
      }),
    ),
  };
  return { decision, redemption };
}

const draft = fc.record({
  workspace: fc.constantFrom('ws_1', 'ws_2'),
  atMs: fc.constantFrom(1_000, 2_000, 3_000),
  objectRef: fc.constantFrom('O-1', 'O-2'),
  isRedeemed: fc.boolean(),
});
const query: fc.Arbitrary<PruneQuery> = fc.record(
  {
    workspace: fc.constantFrom('ws_1', 'ws_2'),
    beforeMs: fc.constantFrom(1_000, 2_000, 2_001),
    objectRef: fc.constantFrom('O-1', 'O-2'),
  },
  { requiredKeys: [] },
);

test('a prune empties what it names, decisions with their redemptions, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(draft, { maxLength: 8 }), query, (drafts, asked) => {
      const named = drafts.map(
        ({ workspace, atMs, objectRef }) =>
          (asked.workspace ?? workspace) === workspace &&
          atMs < (asked.beforeMs ?? Number.POSITIVE_INFINITY) &&
          (asked.objectRef ?? objectRef) === objectRef,
      );
      const pairs = drafts.map(decisionOf);
      const redeemed = pairs.map(({ redemption }, i) => (drafts[i]!.isRedeemed ? [redemption] : []));
      const entries = [...pairs.map(({ decision }) => decision), ...redeemed.flat()];
      const isGone = [...named, ...redeemed.flatMap((own, i) => own.map(() => named[i]!))];
      const body = encodeSegment(entries);
      const pruned = pruneSegment({ position: 0, count: entries.length, body }, asked, NO_REVIEWS, new Set());
      const left = entries.map((entry, i) => (isGone[i] ? { record: NOTHING, leaf: NOTHING } : entry));
      expect(pruned?.emptied ?? 0).toBe(isGone.filter(Boolean).length);
      expect(decodeSegment({ position: 0, count: entries.length, body: pruned?.body ?? body })).toEqual(left);

      // In two passes a redemption may come before its decision.
      const forgotten = new Set<string>();
      const inTwo = new Set<SegmentEntry>();
      for (const pass of ['others', 'followers'] as const) {
        for (const entry of entries.toReversed())
          if (isNamed(entry, asked, NO_REVIEWS, forgotten, pass)) inTwo.add(entry);
      }
      expect(entries.map((entry) => inTwo.has(entry))).toEqual(isGone);
    }),
    { numRuns: 300 },
  );
});

test('what was emptied before is not counted again, and a continuation stays', () => {
  const continuation = continuationBytes({
    kind: 'continuation',
    log: 'l2',
    timestamp: '1970-01-01T00:00:00.000Z',
    checkpoint: 'a signed note',
  });
  const entries = [
    { record: NOTHING, leaf: NOTHING },
    { record: NOTHING, leaf: Buffer.from(continuation) },
  ];
  const segment = { position: 0, count: 2, body: encodeSegment(entries) };
  expect(pruneSegment(segment, {}, NO_REVIEWS, new Set())).toBeNull();
});

test('a prune by time empties what was said of changes that stay, and nothing of an active freeze', () => {
  const words = Buffer.from('{"reason":"Ada Lovelace asked for it"}');
  const noted = (timestamp: string, entry: object): SegmentEntry => ({
    record: words,
    leaf: Buffer.from(
      notedEntryBytes(
        {
          ...{ workspace: 'ws_1', timestamp, by: { kind: 'owner_key', id: 'key_1' }, reasonDigest: DIGEST },
          ...entry,
        } as NotedEntry,
        'l',
      ),
    ),
  });
  const [early, late] = ['1970-01-01T00:00:01.000Z', '1970-01-01T00:00:09.000Z'];
  const created = (freeze: string) => ({ kind: 'freeze.created', freeze, number: 1, scope: {}, until: null });
  const corrected = {
    ...{ kind: 'limit.corrected', limit: 'daily', keyKind: 'live', counter: DIGEST, group: DIGEST },
    ...{ amount: '1', steps: [{ step: 1, amount: '1' }] },
  };
  const entries = [
    noted(early, created('frz_over')),
    noted(early, { kind: 'freeze.lifted', freeze: 'frz_over', number: 2 }),
    noted(early, corrected),
    noted(early, created('frz_active')),
    noted(late, created('frz_late')),
  ];
  const known = reviewsAtPrune([], [], 0, ['frz_active']);
  const segment = { position: 0, count: entries.length, body: encodeSegment(entries) };
  expect(pruneSegment(segment, { objectRef: 'O-1' }, known, new Set())).toBeNull();
  expect(pruneSegment(segment, { workspace: 'ws_2', beforeMs: 5_000 }, known, new Set())).toBeNull();
  const pruned = pruneSegment(segment, { beforeMs: 5_000 }, known, new Set())!;
  expect([pruned.emptied, pruned.days]).toEqual([3, []]);
  const left = decodeSegment({ ...segment, body: pruned.body });
  expect(left.map(({ leaf }) => leaf)).toEqual(entries.map(({ leaf }) => leaf));
  expect(left.map(({ record }) => record.length > 0)).toEqual([false, false, false, true, true]);
  expect(pruneSegment({ ...segment, body: pruned.body }, { beforeMs: 5_000 }, known, new Set())).toBeNull();
});

function reviewEntry(review: string): SegmentEntry {
  const leaf = reviewEntryBytes({
    kind: 'review',
    log: 'l',
    event: 'commented',
    review,
    workspace: 'ws_1',
    intentDigest: DIGEST,
    timestamp: '1970-01-01T00:00:01.000Z',
    by: { kind: 'owner_key', id: 'key_1' },
    details: { text: DIGEST },
  });
  return { record: NOTHING, leaf: Buffer.from(leaf) };
}

test('what an open review, an unused approval or a recent rejection needs stays, other reviews of the object go', () => {
  const { decision } = decisionOf({ workspace: 'ws_1', atMs: 1_000, objectRef: 'O-1', isRedeemed: false });
  const decisionId = JSON.parse(decision.leaf.toString()).decision_id as string;
  const nowMs = 3 * DAY_MS;
  const rows = [
    { id: 'rev_open', state: 'open', resolved_ms: null, document: JSON.stringify({ decisionId }) },
    {
      id: 'rev_good',
      state: 'approved',
      resolved_ms: 1,
      document: JSON.stringify({ validUntilMs: nowMs + 1 }),
    },
    { id: 'rev_over', state: 'approved', resolved_ms: 1, document: JSON.stringify({ validUntilMs: nowMs }) },
    { id: 'rev_no', state: 'rejected', resolved_ms: nowMs - DAY_MS + 1, document: '{}' },
    { id: 'rev_no_long_ago', state: 'rejected', resolved_ms: nowMs - DAY_MS, document: '{}' },
  ];
  const ids = [...rows.map(({ id }) => id), 'rev_other'];
  const reviews = reviewsAtPrune(rows, ids, nowMs, []);
  const isGone = (entry: SegmentEntry) => isNamed(entry, { objectRef: 'O-1' }, reviews, new Set());
  expect(ids.filter((id) => isGone(reviewEntry(id)))).toEqual(['rev_over', 'rev_no_long_ago', 'rev_other']);
  expect(isGone(decision)).toBe(false);
  expect(isNamed(decision, { objectRef: 'O-1' }, NO_REVIEWS, new Set())).toBe(true);
  expect(isGone(reviewEntry('rev_of_another_object'))).toBe(false);
});
