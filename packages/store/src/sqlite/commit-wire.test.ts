import { hash } from 'node:crypto';
import { leafHash, leafText } from '@writecheck/ledger';
import { expect, test } from 'vitest';
import { newRequest, recordOf, textOf } from '../../test/store-contract/store-contract-values.ts';
import { outcomeEntry, redemptionEntry } from '../commit/new-entries.ts';
import { NO_RECORD } from '../commit/segment-builder.ts';
import { bytesOfRequest } from '../commit/stored-bytes.ts';
import { decodeSegment } from '../log/segment.ts';
import type { NewOutcome } from '../port/outcomes.ts';
import type { CommitRequest } from '../port.ts';
import { unpackRequests } from './arrived-group.ts';
import { finishGroup, type PackedGroup, packRequests } from './commit-wire.ts';

const item = { source: 's', jti: 'j' };
const COUNTER = { state: 0, place: 'ab', texts: '["a\\nb"]', per: 'day', draw: '1', drawn: '0' };
const LIMITS = {
  states: '[{}]',
  readings: '[]',
  counters: [
    { ...COUNTER, resetsAt: null, restored: false },
    { ...COUNTER, state: 1, draw: null, resetsAt: '2026-11-18T00:00:00.000Z', restored: true },
  ],
  draws: true,
};
const requests: readonly CommitRequest[] = [
  newRequest('ws_1'),
  newRequest('ws_2', { keyKind: 'development', limit: 5 }),
  newRequest('ws_3', {
    consumes: [item],
    restsOn: [item],
    claim: { key: 'k', response: 'r', expiresAtMs: 5 },
  }),
  newRequest('ws_1', { decision: 'block' }),
  // An allow that is redeemed in its commit, and nothing else.
  { ...newRequest('ws_1'), redeems: { decisionId: 'dec_1', intentDigest: 'sha256:1' } },
  ...['one line', 'two\nlines'].map((response) => ({
    ...newRequest('ws_5', { claim: { key: 'k', response, expiresAtMs: 5 } }),
    redeems: { decisionId: 'dec_2', intentDigest: 'sha256:2' },
    limits: LIMITS,
  })),
];
const told = { workspace: 'ws_1', result: 'done', atMs: 1, recordedAtMs: 2, note: null, ref: null } as const;
const by = { kind: 'checking_key', id: 'key_1' } as const;
const outcomes: readonly NewOutcome[] = [
  { ...told, by, decisionId: 'dec_3' },
  { ...told, by, decisionId: 'dec_4', result: 'unknown', note: 'zoë 漢字 \0', ref: 'PO-1' },
];
function cross<T>(value: T): T {
  return structuredClone(value);
}

const asItIs = (packed: PackedGroup) => packed;

test.each([
  ['for the writer to finish', asItIs],
  ['finished by the sender', finishGroup],
])('requests cross to a thread unchanged, and their leaves name their records: %s', (_, finish) => {
  const wide = { ...newRequest('ws_4'), record: recordOf('"zoë 漢字 😀"') };
  const sent = [...requests, wide];
  const packedGroup = cross(finish(packRequests(sent, 'l', null, outcomes)));
  const { requests: arrived, stored, count, ...group } = unpackRequests(packedGroup);
  expect(arrived).toHaveLength(sent.length);
  expect(group.outcomes).toEqual(outcomes);
  const all: { readonly record: Uint8Array; readonly leaf: Uint8Array }[] = [];
  for (const [i, { entry, redemption, ...request }] of arrived.entries()) {
    const { record: pieces, leaf: fields, ...rest } = sent[i]!;
    expect(request).toEqual({ ...rest, storedBytes: bytesOfRequest(sent[i]!) });
    const { record, leaf, leafHash: hashed, atMs } = entry;
    const text = textOf(pieces);
    expect(atMs).toBe(rest.atMs);
    expect(record.toString()).toBe(text);
    const { workspace, keyId, keyKind, redeems } = rest;
    const recordDigest = `sha256:${hash('sha256', text)}`;
    expect(leaf.toString()).toBe(leafText({ ...fields, log: 'l', workspace, keyKind, recordDigest }));
    if (finish === finishGroup) expect(Buffer.from(hashed!)).toEqual(Buffer.from(leafHash(leaf)));
    all.push({ record, leaf });
    expect(redemption !== null).toBe(redeems !== undefined);
    if (redemption === null) continue;
    const taken = redemptionEntry('l', { ...redeems!, workspace, keyId, keyKind, atMs });
    all.push({ record: Buffer.from(NO_RECORD), leaf: taken.leaf });
    expect(redemption.leaf).toEqual(taken.leaf);
  }
  for (const [number, outcome] of outcomes.entries()) {
    const { record, leaf, leafHash: hashed, atMs } = group.report(number);
    expect({ record, leaf, atMs }).toEqual(outcomeEntry('l', outcome));
    if (finish === finishGroup) expect(Buffer.from(hashed!)).toEqual(Buffer.from(leafHash(leaf)));
    all.push({ record, leaf });
  }
  expect(count).toBe(all.length);
  expect(decodeSegment({ position: 0, count, body: stored() })).toEqual(all);
});

test('a buffer is reused, and the contents of an earlier commit are not visible', () => {
  const first = packRequests(requests, 'l', null, []);
  const again = packRequests(requests.slice(0, 1), 'l', first.buffer, []);
  expect(again.buffer).toBe(first.buffer);
  expect(unpackRequests(again).requests).toHaveLength(1);
  const large = { ...newRequest('ws_1'), record: recordOf('x'.repeat(2 ** 20)) };
  expect(packRequests([large], 'l', first.buffer, []).buffer).not.toBe(first.buffer);
});

test('a group that is unpacked again after a busy database is the same group', () => {
  const packed = cross(packRequests(requests, 'l', null, []));
  const unpack = () => {
    const { requests: arrived, stored } = unpackRequests(packed);
    return structuredClone({ arrived, stored: stored() });
  };
  const first = unpack();
  expect(unpack()).toEqual(first);
});

test('a finished group compresses to the stored form, without another copy', () => {
  const many = Array.from({ length: 40 }, () => newRequest('ws_1'));
  const packed = finishGroup(packRequests(many, 'l', null, []));
  const { stored, count, buffer } = unpackRequests(packed);
  expect(stored().length).toBe(packed.storedBytes);
  expect(stored().buffer).toBe(buffer);
  expect(decodeSegment({ position: 0, count, body: stored() })).toHaveLength(40);
});

test('a buffer without room for the finished form is left to the writer', () => {
  const packed = packRequests(requests, 'l', null, []);
  const tight = packed.buffer.slice(0, packed.buffer.byteLength - 1);
  const used = packRequests(requests, 'l', tight, []);
  expect(finishGroup(used).storedBytes).not.toBeNull();
  const full = { ...packed, buffer: packed.buffer.slice(0, 320 + packed.segmentBytes) };
  expect(finishGroup(full).storedBytes).toBeNull();
  expect(unpackRequests(full).requests).toHaveLength(requests.length);
});

test('entries without a request or an outcome are refused', () => {
  const packed = packRequests(requests, 'l', null, outcomes);
  expect(() => unpackRequests({ ...packed, requestCount: packed.requestCount - 1 })).toThrow(RangeError);
  expect(() => unpackRequests({ ...packed, outcomes: null })).toThrow(RangeError);
});

test('a segment that is cut short is refused', () => {
  const packed = packRequests(requests, 'l', null, []);
  expect(() => unpackRequests({ ...packed, segmentBytes: packed.segmentBytes - 1 })).toThrow(RangeError);
});
