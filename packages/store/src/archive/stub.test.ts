import { expect, test } from 'vitest';
import { isArchived, leftOf, readStub, settledStub, stubOf } from './stub.ts';

const entry = (record: string, leaf: string) => ({ record: Buffer.from(record), leaf: Buffer.from(leaf) });
const FILE = [
  entry('words', 'a'),
  entry('words', 'b'),
  entry('', 'c'),
  ...Array(9).fill(entry('words', 'd')),
];

test('a stub knows which entries or records were pruned, whatever the file holds', () => {
  const left = FILE.with(0, entry('', '')).with(1, entry('', 'b')).with(11, entry('', 'd'));
  for (const fileHoldsMore of [true, false]) {
    const body = stubOf({ log: 'log-1', firstIndex: 512, fileHoldsMore }, left);
    expect(isArchived(body)).toBe(true);
    for (const kept of [body, settledStub(body)]) {
      const stub = readStub(kept, FILE.length);
      expect([stub.log, stub.firstIndex]).toEqual(['log-1', 512]);
      expect(stub.fileHoldsMore).toBe(fileHoldsMore && kept === body);
      expect(FILE.map((one, place) => leftOf(stub, place, one))).toEqual(left);
    }
  }
});

test('a stub without emptied records is as short as before there were any', () => {
  const all = FILE.map(() => entry('words', 'd'));
  const body = stubOf({ log: 'l', firstIndex: 0 }, all);
  expect(readStub(body, all.length).recordBits).toBeNull();
  expect(body.length).toBe(stubOf({ log: 'l', firstIndex: 0 }, FILE).length - Math.ceil(FILE.length / 8));
});

test('a place that the file lacks is empty', () => {
  const stub = readStub(stubOf({ log: 'l', firstIndex: 0 }, FILE), FILE.length);
  expect(leftOf(stub, 3, undefined)).toEqual(entry('', ''));
});
