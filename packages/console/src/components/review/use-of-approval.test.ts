import type { DecisionSummary, Review } from '@writecheck/api';
import { expect, test } from 'vitest';
import { useOf } from './use-of-approval.ts';

const REVIEW = {
  because: 'used',
  resolvedAt: '2026-11-18T08:00:00.000Z',
  validUntil: '2026-11-18T09:00:00.000Z',
  intentDigest: 'sha256:1',
  intent: { objectType: 'vendor', field: 'iban' },
} as unknown as Review;

function allow(id: string, time: string, members: object = {}): DecisionSummary {
  const named = { objectType: 'vendor', field: 'iban', operation: null };
  const timestamp = `2026-11-18T${time}:00.000Z`;
  return { decision_id: id, decision: 'allow', timestamp, ...named, ...members } as DecisionSummary;
}

test('the allow that used an approval is the one of the same write, while the approval held', () => {
  const decisions = [
    allow('later', '09:30'),
    allow('other field', '08:50', { field: 'name' }),
    allow('other value', '08:40'),
    allow('paused', '08:35', { decision: 'pause' }),
    allow('it', '08:30'),
    allow('before', '07:30'),
  ];
  const digestOf = (id: string) => (id === 'other value' ? 'sha256:2' : 'sha256:1');
  const use = { decisionId: 'it', at: '2026-11-18T08:30:00.000Z' };
  expect(useOf(REVIEW, decisions, digestOf)).toEqual(use);
  // Without the decisions themselves nothing is claimed.
  expect(useOf(REVIEW, decisions, () => undefined)).toBeNull();
  expect(useOf({ ...REVIEW, because: 'run_out' } as Review, decisions, digestOf)).toBeNull();
});
