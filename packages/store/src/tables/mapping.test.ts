import { expect, test } from 'vitest';
import { escaped, flag, json, mapping } from './mapping.ts';

interface Stored {
  readonly id: string;
  readonly atMs: number | null;
  readonly names: readonly string[] | null;
  readonly isOn: boolean;
  readonly note: string | null;
}

const STORED = mapping<Stored>({
  id: 'id',
  atMs: 'at_ms',
  names: json('names'),
  isOn: flag('is_on'),
  note: escaped('note'),
});

test('a value is read back from its row unchanged, from either database', () => {
  const stored: Stored = { id: 'a', atMs: null, names: ['x'], isOn: true, note: 'n' };
  const row = STORED.rowOf(stored);
  expect(row).toEqual({ id: 'a', at_ms: null, names: '["x"]', is_on: true, note: { escaped: 'n' } });
  for (const is_on of [true, 1])
    expect(STORED.storedOf({ ...row, is_on, note: 'n', other: 1 })).toEqual(stored);
  const empty = { ...stored, names: null, note: null };
  expect(STORED.storedOf(STORED.rowOf(empty))).toEqual(empty);
  expect(STORED.escaped).toEqual(['note']);
});

test('a column that was not read is never treated as null', () => {
  const { at_ms, ...row } = STORED.rowOf({ id: 'a', atMs: null, names: null, isOn: false, note: null });
  expect(at_ms).toBeNull();
  expect(() => STORED.storedOf(row)).toThrow('at_ms');
});
