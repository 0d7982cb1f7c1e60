import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { quickFolder } from '../../store/test/test-postgres.ts';
import { tortureStores } from './stores-torture.ts';

const OUTCOMES = [
  ...['committed', 'quota_exceeded', 'twin', 'decide_again', 'created', 'no_such_workspace'],
  ...['revoked', 'not_found', 'rotated', 'not_active', 'appended', 'unchanged', 'conflict', 'page'],
  ...['redeemed', 'same', 'key_reused', 'already_redeemed', 'expired', 'policy_changed', 'evidence_revoked'],
];

test('SQLite and PostgreSQL answer 10,000 generated operations with the same bytes', async () => {
  const folder = mkdtempSync(join(quickFolder(), 'writecheck-same-'));
  const { faults, counts, kinds, refused } = await tortureStores(folder, 10_000, 20_261_115);
  expect(faults).toEqual([]);
  // A generator that never gets to some operation would prove nothing about it.
  expect(counts.size).toBe(37);
  expect(Math.min(...counts.values())).toBeGreaterThan(2);
  expect(refused).toBeGreaterThan(10);
  expect(OUTCOMES.filter((kind) => !kinds.has(kind))).toEqual([]);
}, 120_000);
