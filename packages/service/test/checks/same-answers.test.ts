import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { testInPart } from '../../../../scripts/in-part.ts';
import { quickFolder } from '../../../store/test/test-postgres.ts';
import { tortureStores } from './stores-torture.ts';

const OUTCOMES = [
  ...['committed', 'quota_exceeded', 'twin', 'decide_again', 'created'],
  ...['revoked', 'not_found', 'rotated', 'not_active', 'appended', 'unchanged', 'conflict', 'page'],
  ...['redeemed', 'same', 'expired', 'policy_changed'],
];
/** Results that a short run may miss. */
const RARE = ['no_such_workspace', 'evidence_revoked', 'key_reused', 'already_redeemed'];

const WHOLE = 10_000;

testInPart(
  {
    part: 2_000,
    whole: WHOLE,
    named: (count) => `SQLite and PostgreSQL answer ${count} generated operations with the same bytes`,
  },
  async (operations) => {
    const folder = mkdtempSync(join(quickFolder(), 'writecheck-same-'));
    const { faults, counts, kinds, refused } = await tortureStores(folder, operations, 20_261_104);
    expect(faults).toEqual([]);
    // A generator that never reaches some operation would prove nothing about it.
    expect(counts.size).toBe(36);
    expect(refused).toBeGreaterThanOrEqual(Math.min(5, operations / 500));
    const outcomes = operations === WHOLE ? [...OUTCOMES, ...RARE] : OUTCOMES;
    expect(outcomes.filter((kind) => !kinds.has(kind))).toEqual([]);
  },
);
