import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { quickFolder } from '../../store/test/test-postgres.ts';
import { tortureStores } from './stores-torture.ts';

const OUTCOMES = [
  ...['committed', 'quota_exceeded', 'twin', 'decide_again', 'created'],
  ...['revoked', 'not_found', 'rotated', 'not_active', 'appended', 'unchanged', 'conflict', 'page'],
  ...['redeemed', 'same', 'key_reused', 'already_redeemed', 'expired', 'policy_changed'],
];
/** That a short run need not come to. */
const RARE = ['no_such_workspace', 'evidence_revoked'];

const sameAnswers = async (operations: number, outcomes: readonly string[]): Promise<void> => {
  const folder = mkdtempSync(join(quickFolder(), 'writecheck-same-'));
  const { faults, counts, kinds, refused } = await tortureStores(folder, operations, 20_261_115);
  expect(faults).toEqual([]);
  // A generator that never gets to some operation would prove nothing about it.
  expect(counts.size).toBe(37);
  expect(refused).toBeGreaterThan(5);
  expect(outcomes.filter((kind) => !kinds.has(kind))).toEqual([]);
};

test(
  'SQLite and PostgreSQL answer 3,000 generated operations with the same bytes',
  () => sameAnswers(3_000, OUTCOMES),
  180_000,
);

test(
  'SQLite and PostgreSQL answer 10,000 generated operations with the same bytes',
  { tags: 'nightly', timeout: 600_000 },
  () => sameAnswers(10_000, [...OUTCOMES, ...RARE]),
);
