import { expect, test } from 'vitest';
import { newId } from '../support/ids/new-id.ts';
import { RecentAllows, recentMemory } from './recent-allows.ts';

const [KEY, OTHER] = ['key_1', 'key_2'];

test('another thread knows what one thread noted, for the key that asked and for no other', () => {
  const memory = recentMemory();
  const [here, there] = [new RecentAllows(memory), new RecentAllows(memory)];
  const id = newId('dec_', 1_000);
  expect(there.has(id, KEY)).toBe(false);
  here.add(id, KEY);
  expect(there.has(id, KEY)).toBe(true);
  expect(there.has(id, OTHER)).toBe(false);
  expect(there.has(newId('dec_', 1_000), KEY)).toBe(false);
});

test("a later allow replaces the allow in its place, and is never known under that allow's key", () => {
  const recent = new RecentAllows();
  const [first, second] = [newId('dec_', 1_000), newId('dec_', 1_001)];
  const later = second.slice(0, -4) + first.slice(-4);
  recent.add(first, KEY);
  recent.add(later, OTHER);
  expect([recent.has(first, KEY), recent.has(later, KEY), recent.has(later, OTHER)]).toEqual([
    false,
    false,
    true,
  ]);
});

test('an entry is unknown while it is written, and stays unknown if its thread died halfway', () => {
  const memory = recentMemory();
  const recent = new RecentAllows(memory);
  const id = newId('dec_', 1_000);
  recent.add(id, KEY);
  const words = new Int32Array(memory);
  const at = words.findIndex((word) => word !== 0);
  Atomics.add(words, at, 1);
  expect(recent.has(id, KEY)).toBe(false);
  recent.add(id, KEY);
  expect(recent.has(id, KEY)).toBe(false);
});

test.each(['', 'dec_', `dec_${'x'.repeat(32)}`, `dec_${'0'.repeat(32)}`, `aud_${'0'.repeat(32)}`])(
  'an id that no decision has is not known: %j',
  (id) => {
    expect(new RecentAllows().has(id, KEY)).toBe(false);
  },
);
