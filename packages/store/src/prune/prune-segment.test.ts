import { DAY_MS } from '@writecheck/contract';
import {
  continuationBytes,
  leafBytes,
  type NotedEntry,
  notedEntryBytes,
  redemptionBytes,
  reviewEntryBytes,
} from '@writecheck/ledger';
import { expect, test } from 'vitest';
import { fc } from '../../../../scripts/fast-check.ts';
import { newRequest } from '../../test/store-contract/store-contract-values.ts';
import { decodeSegment, encodeSegment, type SegmentEntry } from '../log/segment.ts';
import type { Prunable, PruneQuery } from '../port.ts';
import { findPrunable } from './find-prunable.ts';
import { pruneSegment } from './prune-segment.ts';
import { reviewsAtPrune } from './reviews-at-prune.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;
const NOTHING = Buffer.alloc(0);
const NO_REVIEWS = reviewsAtPrune([], 0, []);
const EVERYTHING: Prunable = {
  ...{ chosenBy: ['age'], only: null, traced: new Set(), kept: [], counts: new Map() },
};

interface Draft {
  readonly workspace: string;
  readonly atMs: number;
  readonly objectRef: string;
  readonly isRedeemed: boolean;
}

function decisionOf({ workspace, atMs, objectRef }: Draft) {
  const { record, leaf } = newRequest('ws_1', { atMs, objectRef });
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
        // Later than the time of any query: it is erased with its decision.
        timestamp: new Date(atMs + DAY_MS).toISOString(),
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
const query: fc.Arbitrary<PruneQuery> = fc.oneof(
  fc.record(
    { workspace: fc.constantFrom('ws_1', 'ws_2'), beforeMs: fc.constantFrom(1_000, 2_000, 2_001) },
    { requiredKeys: ['beforeMs'] },
  ),
  fc.record(
    {
      workspace: fc.constantFrom('ws_1', 'ws_2'),
      beforeMs: fc.constantFrom(1_000, 2_000, 2_001),
      objectRef: fc.constantFrom('O-1', 'O-2'),
    },
    { requiredKeys: ['workspace', 'objectRef'] },
  ),
);

/** A log of these entries alone. */
function found(entries: readonly SegmentEntry[], asked: PruneQuery): Promise<Prunable> {
  return findPrunable(
    {
      logs: async () => [{ log: 'l', size: entries.length, frontier: NOTHING, newestAtMs: 3_000 }],
      segments: async () => [{ log: 'l', firstIndex: 0, entries, leafHashes: NOTHING }],
      newestAtMs: async () => 3_000,
      unfinishedReviews: async () => [],
      closedReviews: async () => [],
      unsettledErasures: async () => [],
      activeFreezeIds: async () => [],
    },
    asked,
  );
}

test('a prune finds and empties what its query selects, decisions with their redemptions, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(draft, { maxLength: 8 }), query, async (drafts, asked) => {
      const named = drafts.map(
        ({ workspace, atMs, objectRef }) =>
          (asked.workspace ?? workspace) === workspace &&
          atMs < (asked.beforeMs ?? Number.POSITIVE_INFINITY) &&
          (asked.objectRef ?? objectRef) === objectRef,
      );
      const pairs = drafts.map(decisionOf);
      const redeemed = pairs.map(({ redemption }, i) => (drafts[i]!.isRedeemed ? [redemption] : []));
      const entries = [...redeemed.flat(), ...pairs.map(({ decision }) => decision)];
      const isGone = [...redeemed.flatMap((own, i) => own.map(() => named[i]!)), ...named];
      const segment = { position: 0, count: entries.length, body: encodeSegment(entries) };
      const toErase = await found(entries, asked);
      const counted = [...toErase.counts.values()].reduce((sum, each) => sum + each.entries, 0);
      const pruned = pruneSegment(segment, toErase, NO_REVIEWS);
      const left = entries.map((entry, i) => (isGone[i] ? { record: NOTHING, leaf: NOTHING } : entry));
      expect([counted, pruned?.emptied ?? 0]).toEqual(Array(2).fill(isGone.filter(Boolean).length));
      expect(decodeSegment({ ...segment, body: pruned?.body ?? segment.body })).toEqual(left);
    }),
    { numRuns: 200 },
  );
});

test('a text is found in any value of an intent, in any case and spelling, and nowhere else', async () => {
  const entries = ['Zoë Müller', 'someone else'].map(
    (objectRef) => decisionOf({ workspace: 'ws_1', atMs: 1_000, objectRef, isRedeemed: false }).decision,
  );
  const [first] = entries.map(({ leaf }) => JSON.parse(leaf.toString()).decision_id as string);
  for (const text of ['zoë', 'Zoe\u0308 MU\u0308LLER'.normalize('NFD'), 'ë m'])
    expect([...(await found(entries, { workspace: 'ws_1', text })).only!.decisions]).toEqual([first]);
  expect((await found(entries, { workspace: 'ws_1', text: 'zoe' })).only!.decisions.size).toBe(0);
  expect((await found(entries, { workspace: 'ws_2', text: 'zoë' })).only!.decisions.size).toBe(0);
});

test('selected decisions belong to one workspace', async () => {
  await expect(found([], { objectRef: 'O-1' })).rejects.toThrow(TypeError);
});

test('emptied entries are not counted again, and continuations and erasures stay', () => {
  const at = { log: 'l2', timestamp: '1970-01-01T00:00:00.000Z' };
  const continuation = continuationBytes({ kind: 'continuation', ...at, checkpoint: 'a signed note' });
  const erased = notedEntryBytes(
    {
      ...{
        kind: 'records.erased',
        workspace: 'ws_1',
        timestamp: at.timestamp,
        by: { kind: 'operator', id: 'o' },
      },
      ...{ erasure: 'era_1', reason: 'r', chosenBy: ['age'], before: null, decisions: null, reviews: null },
      ...{ decisionCount: 1, entryCount: 1 },
    },
    'l2',
  );
  const leaves = [NOTHING, Buffer.from(continuation), Buffer.from(erased)];
  const entries = leaves.map((leaf) => ({ record: NOTHING, leaf }));
  const segment = { position: 0, count: entries.length, body: encodeSegment(entries) };
  expect(pruneSegment(segment, EVERYTHING, NO_REVIEWS)).toBeNull();
});

test('a prune by time empties the texts of changes that stay, but not those of an active freeze', () => {
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
  const known = reviewsAtPrune([], 0, ['frz_active']);
  const older = { ...EVERYTHING, beforeMs: 5_000 };
  const only = { decisions: new Set(['dec_1']), reviews: new Set<string>() };
  const segment = { position: 0, count: entries.length, body: encodeSegment(entries) };
  expect(pruneSegment(segment, { ...older, only }, known)).toBeNull();
  expect(pruneSegment(segment, { ...older, workspace: 'ws_2' }, known)).toBeNull();
  const pruned = pruneSegment(segment, older, known)!;
  expect([pruned.emptied, pruned.days]).toEqual([3, []]);
  const left = decodeSegment({ ...segment, body: pruned.body });
  expect(left.map(({ leaf }) => leaf)).toEqual(entries.map(({ leaf }) => leaf));
  expect(left.map(({ record }) => record.length > 0)).toEqual([false, false, false, true, true]);
  expect(pruneSegment({ ...segment, body: pruned.body }, older, known)).toBeNull();
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

test('an entry that an open review, an unused approval or a recent rejection needs stays, whatever the query', () => {
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
  const only = { decisions: new Set([decisionId]), reviews: new Set(ids) };
  const isGone = (entry: SegmentEntry, reviews = reviewsAtPrune(rows, nowMs, [])) => {
    const segment = { position: 0, count: 1, body: encodeSegment([entry]) };
    return pruneSegment(segment, { ...EVERYTHING, workspace: 'ws_1', only }, reviews) !== null;
  };
  expect(ids.filter((id) => isGone(reviewEntry(id)))).toEqual(['rev_over', 'rev_no_long_ago', 'rev_other']);
  expect(isGone(decision)).toBe(false);
  expect(isGone(decision, NO_REVIEWS)).toBe(true);
  expect(isGone(reviewEntry('rev_of_another_object'))).toBe(false);
});
