import { Frontier, leafHash, TILE_WIDTH } from '@writecheck/ledger';
import { expect, test } from 'vitest';
import { fc } from '../../../../scripts/fast-check.ts';
import { PlainStore, requestGroups, type TestRequest } from '../../test/admission-model.ts';
import { StoreUnavailable } from '../port.ts';
import { sha256 } from '../sha256.ts';
import { admit } from './admit.ts';
import { type BytesOf, buildCommit } from './build-commit.ts';
import { type Head, SegmentBuilder } from './segment-builder.ts';

function leafOf(id: string): Buffer {
  return Buffer.from(`leaf of ${id}`);
}
const taken = (id: string) => `${id} taken`;
const bytesOf: BytesOf<TestRequest> = {
  decision: ({ id }) => ({ record: Buffer.from(id), leaf: leafOf(id) }),
  redemption: ({ id }) => ({ record: Buffer.from(taken(id)), leaf: leafOf(taken(id)) }),
};

function headOf(size: number): Head {
  const frontier = new Frontier(sha256);
  for (let i = 0; i < size; i += 1) frontier.append(leafHash(leafOf(`old ${i}`), sha256));
  return { log: 'l', size, frontier: frontier.toBytes(), newestMs: 5 };
}

/** Appends leaf by leaf. */
function grown({ frontier, size }: Head, ids: readonly string[]): Frontier {
  const tree = Frontier.fromBytes(frontier, sha256)!;
  expect(tree.size).toBe(size);
  for (const id of ids) tree.append(leafHash(leafOf(id), sha256));
  return tree;
}

test('admitted decisions are appended in order, at consecutive indexes', () => {
  fc.assert(
    fc.property(requestGroups, fc.nat(600), (requests, size) => {
      const head = headOf(size);
      const admission = admit(requests, new PlainStore());
      const { segment, results } = buildCommit(head, admission, bytesOf, []);
      const told = results(({ usedBefore }) => usedBefore + 100);
      const ids = segment.entries.map(({ record }) => String(record));
      expect(segment.next.frontier).toEqual(grown(head, ids).toBytes());

      const committed: string[] = [];
      for (const [i, outcome] of admission.requests.entries()) {
        const result = told[i]!;
        if (outcome.kind === 'admitted') {
          const { request, rank } = outcome;
          const leafIndex = size + ids.indexOf(request.id);
          expect(result).toEqual({ kind: 'committed', leafIndex, used: 100 + rank });
          // A redemption follows its decision.
          committed.push(request.id, ...(request.redeems ? [taken(request.id)] : []));
        } else if (outcome.kind === 'over') {
          expect(result).toEqual({ kind: 'quota_exceeded', used: 100 + outcome.rank });
        } else {
          expect(result).toBe(outcome);
        }
      }
      expect(committed).toEqual(ids);
    }),
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
