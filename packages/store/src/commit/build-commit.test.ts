import { decodeBase64, Frontier, leafHash, TILE_WIDTH, verifyInclusion } from '@writecheck/ledger';
import { expect, test } from 'vitest';
import { fc } from '../../../../scripts/fast-check.ts';
import { PlainStore, requestGroups, type TestEntry } from '../../test/admission-model.ts';
import { StoreUnavailable } from '../port.ts';
import { sha256 } from '../sha256.ts';
import { admit } from './admit.ts';
import { type BytesOf, buildCommit, type EntryResult } from './build-commit.ts';
import { type Head, SegmentBuilder } from './segment-builder.ts';

function leafOf(id: string): Buffer {
  return Buffer.from(`leaf of ${id}`);
}
const taken = (id: string) => `${id} taken`;
const bytesOf: BytesOf<TestEntry> = {
  decision: (_, { id }) => ({ record: Buffer.from(id), leaf: leafOf(id) }),
  redemption: (_, { id }) => ({ record: Buffer.from(taken(id)), leaf: leafOf(taken(id)) }),
};

function headOf(size: number): Head {
  const frontier = new Frontier(sha256);
  for (let i = 0; i < size; i += 1) frontier.append(leafHash(leafOf(`old ${i}`), sha256));
  return { log: 'l', size, frontier: frontier.toBytes(), newestMs: 5 };
}

/** Appends leaf by leaf, without proofs. */
function grown({ frontier, size }: Head, ids: readonly string[]): Frontier {
  const tree = Frontier.fromBytes(frontier, sha256)!;
  expect(tree.size).toBe(size);
  for (const id of ids) tree.append(leafHash(leafOf(id), sha256));
  return tree;
}

test('admitted entries are appended in order, at consecutive indexes, and can be proven', () => {
  fc.assert(
    fc.property(
      requestGroups,
      fc.nat(600),
      fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
      (plain, size, proven) => {
        const requests = plain.map((request, i) => ({ ...request, proven: proven[i]! }));
        const head = headOf(size);
        const admission = admit(requests, new PlainStore());
        const { segment, results } = buildCommit(head, requests, admission, bytesOf, []);
        const told = results(({ usedBefore }) => usedBefore + 100);
        const ids = segment.entries.map(({ record }) => String(record));
        const tree = grown(head, ids);
        expect(segment.next.frontier).toEqual(tree.toBytes());

        const committed: [id: string, result: EntryResult & { kind: 'committed' }, isProven: boolean][] = [];
        for (const [i, admitted] of admission.requests.entries()) {
          const result = told[i]!;
          if (admitted.kind !== 'done' || result.kind !== 'done') {
            expect(result).toBe(admitted);
            continue;
          }
          for (const [j, one] of admitted.entries.entries()) {
            const entry = result.entries[j]!;
            expect(entry.used).toBe(100 + one.rank);
            if (one.kind === 'over') expect(entry.kind).toBe('quota_exceeded');
            else if (entry.kind === 'committed') committed.push([one.entry.id, entry, proven[i]!]);
          }
        }
        const redeems = new Set(
          requests.flatMap(({ entries }) => entries.flatMap((one) => (one.redeems ? one.id : []))),
        );
        // A redemption follows its decision.
        expect(committed.flatMap(([id]) => (redeems.has(id) ? [id, taken(id)] : [id]))).toEqual(ids);
        for (const [id, { leafIndex }] of committed) expect(leafIndex).toBe(size + ids.indexOf(id));
        for (const [id, { leafIndex, inclusion }, isProven] of committed) {
          expect(inclusion !== undefined).toBe(isProven);
          if (inclusion === undefined) continue;
          expect(decodeBase64(inclusion.leaf)).toEqual(new Uint8Array(leafOf(id)));
          expect(inclusion.before).toEqual({ size, root: grown(head, []).root() });
          const proof = (JSON.parse(`[${inclusion.proof}]`) as string[]).map((text) => decodeBase64(text)!);
          const claim = { leafHash: leafHash(leafOf(id), sha256), index: leafIndex, size: tree.size, proof };
          expect(inclusion).toMatchObject({ treeSize: tree.size, root: tree.root() });
          expect(verifyInclusion({ ...claim, root: tree.root() }, sha256)).toBe(true);
        }
      },
    ),
    { numRuns: 150 },
  );
});

test('a segment knows its oldest and its newest time, and the newest time of a log never falls', () => {
  const builder = new SegmentBuilder(headOf(3));
  for (const atMs of [4, 2, 3]) builder.append({ record: Buffer.alloc(0), leaf: leafOf(`${atMs}`) }, atMs);
  expect(builder.finish()).toMatchObject({ oldestMs: 2, latestMs: 4, next: { size: 6, newestMs: 5 } });
});

test('of the subtrees that a commit completes, those used by proofs are stored', () => {
  const builder = new SegmentBuilder(headOf(TILE_WIDTH - 2));
  const ids = Array.from({ length: TILE_WIDTH + 4 }, (_, i) => `new ${i}`);
  for (const id of ids) builder.append({ record: Buffer.alloc(0), leaf: leafOf(id) }, 1);
  const { nodes, leafHashes } = builder.finish();
  expect(nodes.map(({ level, number }) => [level, number])).toEqual([
    [8, 0],
    [8, 1],
  ]);
  expect(nodes[0]!.hash).toEqual(grown(headOf(TILE_WIDTH - 2), ids.slice(0, 2)).root());
  expect(leafHashes.subarray(0, 32)).toEqual(Buffer.from(leafHash(leafOf('new 0'), sha256)));
  expect(leafHashes).toHaveLength(32 * ids.length);
});

test('a head that contradicts itself is damaged, and nothing is appended to it', () => {
  const head = headOf(5);
  for (const damaged of [
    { ...head, size: 6 },
    { ...head, frontier: head.frontier.subarray(1) },
  ]) {
    expect(() => new SegmentBuilder(damaged)).toThrow(StoreUnavailable);
  }
});
