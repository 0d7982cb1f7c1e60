import { hash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { leafBytes, recordBytes } from '@writecheck/ledger';
import { expect, test } from 'vitest';
import { newRequest } from '../../test/store-contract/store-contract-values.ts';
import { StoreUnavailable } from '../port.ts';
import {
  compressSegment,
  decodeSegment,
  encodeSegment,
  findInSegment,
  giveBackCompressed,
  useSegment,
} from './segment.ts';

function entriesOf(texts: readonly string[]) {
  return texts.map((text) => ({ record: Buffer.from(text), leaf: Buffer.from(`leaf of ${text}`) }));
}
const SHORT = entriesOf(['record']);
const LONG = entriesOf(Array.from({ length: 40 }, (_, i) => `${i}: ${'ü'.repeat(1_000)}`));
function decode(body: Buffer, count: number) {
  return decodeSegment({ position: 7, count, body });
}

/** Why it is not read, or what is read. */
function damage(body: Buffer, count: number): unknown {
  try {
    return decode(body, count);
  } catch (thrown) {
    return thrown instanceof StoreUnavailable ? thrown.why : thrown;
  }
}

test('a segment gives back its records and leaves, empty ones too', () => {
  const entries = entriesOf(['', 'a', 'ü'.repeat(5_000)]);
  expect(decode(encodeSegment(entries), 3)).toEqual(entries);
  expect(decode(encodeSegment([]), 0)).toEqual([]);
});

test('a long segment is stored in a fraction of its bytes and gives back every one of them', () => {
  const stored = encodeSegment(LONG);
  expect(stored.length).toBeLessThan(40 * 1_000);
  expect(decode(stored, 40)).toEqual(LONG);
});

test('bytes that cannot be compressed come back unchanged', () => {
  const random = [{ record: crypto.getRandomValues(Buffer.alloc(60_000)), leaf: Buffer.from('leaf') }];
  expect(decode(encodeSegment(random), 1)).toEqual(random);
});

test('memory is freed if it was allocated here, and nowhere else', () => {
  for (const entries of [SHORT, LONG]) {
    const body = encodeSegment(entries);
    const isShort = entries === SHORT;
    const kept: Buffer[] = [];
    useSegment({ position: 7, count: entries.length, body }, (used) => {
      expect(used).toEqual(entries);
      kept.push(used[0]!.record);
    });
    expect(kept[0]!.length > 0).toBe(isShort);
    expect(decode(body, entries.length)).toEqual(entries);
    giveBackCompressed(body);
    expect(body.length > 0).toBe(isShort);
  }
});

test('the pool that small buffers share is not freed', () => {
  const pooled = Buffer.from(encodeSegment(LONG).subarray(0, 100));
  expect(pooled.buffer.byteLength).toBeGreaterThan(100);
  giveBackCompressed(pooled);
  expect(pooled.length).toBe(100);
});

test('memory is freed even if it could not be used', () => {
  const kept: Buffer[] = [];
  const use = () =>
    useSegment({ position: 7, count: 40, body: encodeSegment(LONG) }, ([first]) => {
      kept.push(first!.record);
      throw new TypeError('a bug');
    });
  expect(use).toThrow('a bug');
  expect(kept[0]!.length).toBe(0);
});

test('a short segment is stored uncompressed, as every segment was before compression existed', () => {
  const stored = encodeSegment(SHORT);
  expect(stored.includes('record')).toBe(true);
  expect(compressSegment(stored)).toBe(stored);
});

test('a segment that was cut or lengthened, or that has another number of entries, is not read', () => {
  for (const entries of [SHORT, LONG]) {
    const body = encodeSegment(entries);
    const count = entries.length;
    expect(damage(Buffer.concat([body, Buffer.from('x')]), count)).toBe('corrupt');
    for (const cut of [0, 2, 5, body.length - 1])
      expect(damage(body.subarray(0, cut), count)).toBe('corrupt');
    for (const other of [0, count - 1, count + 1]) expect(damage(body, other)).toBe('corrupt');
  }
  expect(() => decode(encodeSegment(SHORT), 2)).toThrow('a segment of the log is damaged');
});

test('any bit that is wrong in a compressed segment is noticed', () => {
  const body = encodeSegment(LONG);
  for (let at = 0; at < body.length; at += 1) {
    const wrong = Buffer.from(body);
    wrong[at]! ^= 1 << (at % 8);
    // Bytes that say nothing about the contents may differ.
    const read = damage(wrong, 40);
    if (read !== 'corrupt') expect(read).toEqual(LONG);
  }
});

test('a segment that would fill the memory is neither read nor written', () => {
  const tooLong = Buffer.alloc(257 * 1024 * 1024);
  const bomb = zstdCompressSync(tooLong);
  expect(bomb.length).toBeLessThan(100_000);
  expect(damage(bomb, 0)).toBe('corrupt');
  expect(() => compressSegment(tooLong)).toThrow('more than can be read again');
  // That size has room for millions of empty entries.
  const many = tooLong.subarray(0, 4 + 8 * 5_000_000);
  many.writeUInt32LE(5_000_000);
  const stored = zstdCompressSync(many);
  const before = process.memoryUsage().heapTotal;
  for (const count of [1, 5_000_000]) expect(damage(stored, count)).toBe('corrupt');
  expect(process.memoryUsage().heapTotal - before).toBeLessThan(100 * 1024 * 1024);
});

test('a decision is found only in its own workspace, and only with the record that its leaf names', () => {
  const entry = newRequest('ws_1');
  const record = Buffer.from(recordBytes(entry.record));
  const recordDigest = `sha256:${hash('sha256', record)}`;
  const leaf = leafBytes({ ...entry.leaf, log: 'l', workspace: 'ws_1', keyKind: 'live', recordDigest });
  const find = (kept: Buffer, workspace: string, id = entry.leaf.decision_id) => {
    const body = encodeSegment([...SHORT, { record: kept, leaf }]);
    return findInSegment({ position: 7, count: 2, body }, workspace, id);
  };
  expect(find(record, 'ws_1')).toMatchObject({ index: 1, record });
  expect(find(record, 'ws_2')).toBeNull();
  expect(find(record, 'ws_1', newRequest('ws_1').leaf.decision_id)).toBeNull();
  const forged = Buffer.from(record.toString().replace('allow', 'block').replace('crm', 'erp'));
  expect(forged.equals(record)).toBe(false);
  expect(() => find(forged, 'ws_1')).toThrow('a segment of the log is damaged');
  expect(find(forged, 'ws_2')).toBeNull();
});
