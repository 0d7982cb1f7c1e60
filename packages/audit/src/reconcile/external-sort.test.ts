import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { randomFrom } from '../../test/generated-history.ts';
import { ExternalSort } from './external-sort.ts';

function recordsOf(seed: number, count: number, bytesMax: number): readonly Buffer[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => {
    const record = Buffer.alloc(6 + Math.floor(random() * bytesMax));
    // Few different bytes, so that many records share their first six.
    return record.map(() => Math.floor(random() * 2)) as Buffer;
  });
}

function sorted(records: readonly Buffer[], bufferBytes: number): readonly string[] {
  const sort = new ExternalSort(bufferBytes);
  for (const record of records) sort.add(record);
  // A record is valid until the next one only.
  return Array.from(sort.sorted(), (record) => record.toString('hex'));
}

test.each([
  ['in memory', 2 ** 20, 20],
  ['through runs on disk', 500, 20],
  ['with records larger than the buffer and than a chunk', 1_000, 400_000],
])('records come in the order of their bytes, %s', (_how, bufferBytes, bytesMax) => {
  const records = recordsOf(3, bytesMax > 1_000 ? 12 : 2_000, bytesMax);
  const expected = [...records].sort(Buffer.compare).map((record) => record.toString('hex'));
  expect(sorted(records, bufferBytes)).toEqual(expected);
});

function inTemporaryFolder(folder: string, work: () => void): void {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    work();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

test('nothing is nothing', () => {
  expect(sorted([], 500)).toEqual([]);
});

test('a process that is killed while it sorts leaves no file behind', () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-sort-'));
  inTemporaryFolder(folder, () => {
    const sort = new ExternalSort(100);
    for (const record of recordsOf(1, 50, 20)) sort.add(record);
    const iterator = sort.sorted();
    iterator.next();
    expect(readdirSync(folder)).toEqual([]);
  });
});

test('a temporary folder that cannot be used is said in words', () => {
  inTemporaryFolder('/nowhere', () => {
    expect(() => sorted(recordsOf(1, 50, 20), 100)).toThrow(/`\/nowhere` cannot be used \(ENOENT\).*TMPDIR/);
  });
});
