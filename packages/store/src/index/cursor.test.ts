import { expect, test } from 'vitest';
import { pageOf, readCursor } from './cursor.ts';
import type { IndexedDecision } from './index-rows.ts';

function rowAt(atMs: number, position: number) {
  return { atMs, position, decisionId: String(position) } as IndexedDecision;
}

test('a page ends with the place of its last row, and the last page without one', () => {
  const rows = [rowAt(9, 3), rowAt(9, 2), rowAt(8, 1)];
  const page = pageOf(rows, 2);
  if (page.kind !== 'page') throw new Error(page.kind);
  expect(page.decisions.map(({ decisionId }) => decisionId)).toEqual(['3', '2']);
  expect(readCursor(page.nextCursor!)).toEqual({ atMs: 9, position: 2 });
  expect(pageOf(rows, 3)).toMatchObject({ nextCursor: null });
  expect(pageOf([], 3)).toMatchObject({ decisions: [], nextCursor: null });
});

test.each(['', '1', '1.', '.1', '1.2.3', '-1.2', '1e3.2', '9007199254740993.1', '1.9999999999999999'])(
  'a cursor that contains %j is refused',
  (text) => {
    expect(readCursor(Buffer.from(text).toString('base64url'))).toBeNull();
  },
);
