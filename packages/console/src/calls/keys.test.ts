import type { Key } from '@writecheck/api';
import { expect, test } from 'vitest';
import { expiresSoon } from './keys.ts';

const at = (day: number) => new Date(Date.UTC(2026, 10, day)).toISOString();

test('a key that ends within two weeks is news, unless it was made for a few hours', () => {
  const nowMs = Date.parse(at(2));
  const soon = (createdAt: string, expiresAt: string | null, revokedAt: string | null = null) =>
    expiresSoon({ createdAt, expiresAt, revokedAt } as Key, nowMs);
  expect(soon(at(1), at(10))).toBe(true);
  expect(soon(at(1), at(20))).toBe(false);
  expect(soon(at(1), null)).toBe(false);
  expect(soon(at(1), at(10), at(1))).toBe(false);
  expect(soon(at(0), at(1))).toBe(false);
  // The playground's key.
  expect(soon(at(2), '2026-11-02T08:00:00.000Z')).toBe(false);
});
