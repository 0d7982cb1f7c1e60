import { expect, test } from 'vitest';
import { newId } from './new-id.ts';

test('an id is its prefix and a UUID of version 7 that holds the time', () => {
  const nowMs = Date.UTC(2026, 10, 15, 12);
  const id = newId('dec_', nowMs);
  expect(id).toMatch(/^dec_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  expect(Number.parseInt(id.slice(4, 16), 16)).toBe(nowMs);
});

test('ids of later milliseconds sort later, and ids of one millisecond differ', () => {
  expect(newId('key_', 1_000) < newId('key_', 1_001)).toBe(true);
  expect(new Set(Array.from({ length: 10_000 }, () => newId('ws_', 5).slice(16))).size).toBe(10_000);
  expect(new Set(Array.from({ length: 10_000 }, () => newId('ws_', 5))).size).toBe(10_000);
});

test('all four variants are used', () => {
  const variants = new Set(Array.from({ length: 1_000 }, () => newId('req_', 5)[20]));
  expect([...variants].sort()).toEqual(['8', '9', 'a', 'b']);
});
