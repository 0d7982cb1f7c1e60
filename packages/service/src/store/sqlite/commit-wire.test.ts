import { hash } from 'node:crypto';
import { leafText } from '@writecheck/ledger';
import { expect, test } from 'vitest';
import {
  newEntry,
  newRequest,
  recordOf,
  textOf,
} from '../../../test/store-contract/store-contract-values.ts';
import type { CommitRequest, Committed } from '../port.ts';
import { decodeSegment } from '../segment.ts';
import { packOutcomes, packRequests, unpackOutcomes, unpackRequests } from './commit-wire.ts';
import type { PlainRequestOutcome } from './plain-outcome.ts';

const item = { source: 's', jti: 'j' };
const requests: readonly CommitRequest[] = [
  newRequest('ws_1'),
  { ...newRequest('ws_2', { keyKind: 'development', limit: 5 }), entries: [] },
  newRequest('ws_3', {
    consumes: [item],
    restsOn: [item],
    claim: { key: 'k', response: 'r', expiresAtMs: 5 },
  }),
  { ...newRequest('ws_1'), entries: [newEntry(), newEntry({ decision: 'block' })], proven: true },
];
const cross = <T>(value: T): T => structuredClone(value);

test('requests come across a thread as they were, their leaves but for the digest', () => {
  const wide = { ...newRequest('ws_4'), entries: [{ ...newEntry(), record: recordOf('"zoë 漢字 😀"') }] };
  const sent = [...requests, wide];
  const { requests: arrived, segment } = unpackRequests(cross(packRequests(sent, 'l', null)));
  expect(arrived).toHaveLength(sent.length);
  for (const [i, { entries, ...request }] of arrived.entries()) {
    const { entries: packed, ...rest } = sent[i]!;
    expect(request).toEqual({ ...rest, proven: rest.proven === true });
    for (const [j, { record, leaf, digestAt, ...entry }] of entries.entries()) {
      const { record: pieces, leaf: fields, ...others } = packed[j]!;
      const text = textOf(pieces);
      expect(entry).toEqual(others);
      expect(record.toString()).toBe(text);
      leaf.write(hash('sha256', record), digestAt, 'latin1');
      const { workspace, keyKind } = rest;
      const recordDigest = `sha256:${hash('sha256', text)}`;
      expect(leaf.toString()).toBe(leafText({ ...fields, log: 'l', workspace, keyKind, recordDigest }));
    }
    expect(entries).toHaveLength(packed.length);
  }
  const all = arrived.flatMap(({ entries }) => entries.map(({ record, leaf }) => ({ record, leaf })));
  expect(decodeSegment({ position: 0, count: all.length, body: segment })).toEqual(all);
});

test('a buffer is used again, and what an earlier commit left in it is not seen', () => {
  const first = packRequests(requests, 'l', null);
  const again = packRequests(requests.slice(0, 1), 'l', first.buffer);
  expect(again.buffer).toBe(first.buffer);
  expect(unpackRequests(again).requests).toHaveLength(1);
  const large = {
    ...newRequest('ws_1'),
    entries: [{ ...newEntry(), record: recordOf('x'.repeat(2 ** 20)) }],
  };
  expect(packRequests([large], 'l', first.buffer).buffer).not.toBe(first.buffer);
});

test('outcomes find their requests again, and do not where one is missing or too many', () => {
  const { proven: _, ...two } = requests[3]!;
  const sent = [newRequest('ws_1'), newRequest('ws_2'), newRequest('ws_3'), two];
  const committed = (leafIndex: number) => ({ kind: 'committed' as const, leafIndex, used: leafIndex + 7 });
  const over = { kind: 'quota_exceeded' as const, used: 5, limit: 5 };
  const outcomes: PlainRequestOutcome[] = [
    { kind: 'done', entries: [committed(0)] },
    { kind: 'done', entries: [over] },
    { kind: 'attestation_conflict' },
    { kind: 'done', entries: [committed(1), committed(2)] },
  ];
  const packed = cross(packOutcomes(outcomes));
  const named = (i: number, j: number) => ({ decisionId: sent[i]!.entries[j]!.leaf.decision_id, log: 'l' });
  expect(unpackOutcomes(packed, sent, 'l', null)).toEqual([
    { kind: 'done', entries: [{ ...committed(0), ...named(0, 0) }] },
    { kind: 'done', entries: [over] },
    { kind: 'attestation_conflict' },
    {
      kind: 'done',
      entries: [
        { ...committed(1), ...named(3, 0) },
        { ...committed(2), ...named(3, 1) },
      ],
    },
  ]);
  expect(() => unpackOutcomes([...packed, 1, 2], sent, 'l', null)).toThrow(RangeError);
  expect(() => unpackOutcomes(packed.slice(0, 1), sent.slice(0, 1), 'l', null)).toThrow(RangeError);
  const short = [...packed.slice(0, -1), { kind: 'done', entries: [committed(1)] }];
  expect(() => unpackOutcomes(short, sent, 'l', null)).toThrow(RangeError);
});

test('of a group in which few are to be proven, each gets its own leaf with its own proof', () => {
  const proven = (entries: CommitRequest['entries']) => ({ ...newRequest('ws_1'), entries, proven: true });
  const sent = [
    newRequest('ws_1'),
    proven([newEntry()]),
    proven([newEntry(), newEntry()]),
    proven([newEntry()]),
  ];
  const { requests: arrived } = unpackRequests(packRequests(sent, 'l', null));
  const { buffer } = arrived[0]!.entries[0]!.leaf;
  const at = { before: { size: 0, root: new Uint8Array(32) }, treeSize: 5, root: new Uint8Array(32) };
  let leafIndex = 0;
  const outcomes = arrived.map(
    ({ entries, proven: isProven }): PlainRequestOutcome => ({
      kind: 'done',
      entries: entries.map(() => ({
        ...{ kind: 'committed', leafIndex: leafIndex++, used: 1 },
        ...(isProven ? { inclusion: { ...at, proof: `proof ${leafIndex}` } } : {}),
      })),
    }),
  );
  const unpacked = unpackOutcomes(cross(packOutcomes(outcomes)), sent, 'l', buffer as ArrayBuffer);
  const found = unpacked.flatMap((outcome) => (outcome.kind === 'done' ? outcome.entries : []));
  expect(found).toMatchObject(
    arrived.flatMap(({ entries, proven: isProven }) =>
      entries.map(({ leaf }) => (isProven ? { inclusion: { ...at, leaf: leaf.toString('base64') } } : {})),
    ),
  );
  expect(found[0]).not.toHaveProperty('inclusion');
  // Doubt is never turned into a receipt.
  expect(() => unpackOutcomes(packOutcomes(outcomes), sent, 'l', null)).toThrow(RangeError);
  const unasked = sent.map(({ proven: _, ...request }) => request);
  expect(() => unpackOutcomes(packOutcomes(outcomes), unasked, 'l', buffer as ArrayBuffer)).toThrow(
    RangeError,
  );
  expect(new Set(found.slice(1).map((entry) => (entry as Committed).inclusion?.proof)).size).toBe(4);
});
