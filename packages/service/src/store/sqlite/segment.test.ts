import { expect, test } from 'vitest';
import { newEntry, newRequest } from '../store-contract-values.ts';
import type { PlainRequestOutcome } from './commit.ts';
import { packOutcomes, packRequests, unpackOutcomes, unpackRequests } from './commit-wire.ts';
import { decodeSegment, encodeSegment } from './segment.ts';

test('a segment gives back its records and leaves, empty ones too', () => {
  const entries = ['', 'a', 'ü'.repeat(5_000)].map((text) => ({
    record: Buffer.from(text),
    leaf: Buffer.from(`leaf of ${text}`),
  }));
  expect(decodeSegment(encodeSegment(entries))).toEqual(entries);
  expect(decodeSegment(encodeSegment([]))).toEqual([]);
});

test('a segment that was cut or lengthened is not read', () => {
  const body = encodeSegment([{ record: Buffer.from('record'), leaf: Buffer.from('leaf') }]);
  expect(() => decodeSegment(Buffer.concat([body, Buffer.from('x')]))).toThrow(RangeError);
  expect(() => decodeSegment(body.subarray(0, 2))).toThrow(RangeError);
});

test('requests come across a thread as they were', () => {
  const item = { source: 's', jti: 'j' };
  const requests = [
    newRequest('ws_1'),
    { ...newRequest('ws_2', { keyKind: 'development', limit: 5 }), entries: [] },
    newRequest('ws_3', {
      consumes: [item],
      restsOn: [item],
      claim: { key: 'k', response: 'r', expiresAtMs: 5 },
    }),
    { ...newRequest('ws_4'), entries: [newEntry(), newEntry({ decision: 'block' })] },
  ];
  expect(unpackRequests(structuredClone(packRequests(requests)))).toEqual(requests);
});

test('outcomes find their requests again, and do not where one is missing or too many', () => {
  const requests = [newRequest('ws_1'), newRequest('ws_2'), newRequest('ws_3')];
  const committed = (i: number): PlainRequestOutcome => ({
    kind: 'done',
    entries: [
      {
        kind: 'committed',
        decisionId: requests[i]!.entries[0]!.leaf.decision_id,
        log: 'l',
        leafIndex: i,
        used: i + 7,
      },
    ],
  });
  const over: PlainRequestOutcome = {
    kind: 'done',
    entries: [{ kind: 'quota_exceeded', used: 5, limit: 5 }],
  };
  const outcomes = [committed(0), over, committed(2)];
  const packed = structuredClone(packOutcomes(outcomes));
  expect(unpackOutcomes(packed, requests, 'l')).toEqual(outcomes);
  expect(() => unpackOutcomes([...packed, 1, 2], requests, 'l')).toThrow(RangeError);
  expect(() => unpackOutcomes(packed.slice(0, 3), requests, 'l')).toThrow(RangeError);
});
