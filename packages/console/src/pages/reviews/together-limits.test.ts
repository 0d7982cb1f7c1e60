import type { DecisionDetail } from '@writecheck/api';
import type { PolicyDocument } from '@writecheck/engine';
import { expect, test } from 'vitest';
import { beyondTogether } from './together-limits.tsx';

const LIMIT = {
  kind: 'Limit',
  id: 'refunds-a-day',
  by: ['intent.metadata.context.currency'],
  sum: 'intent.metadata.context.amount',
  max: 500,
  per: '24h',
} as unknown as PolicyDocument;

function refund(amount: string, currency: string, at: number, remaining: string): DecisionDetail {
  const limits = [{ id: 'refunds-a-day', draw: amount, remaining, per: '24h' }];
  return {
    timestamp: `2026-11-18T10:00:0${at}Z`,
    intent: { metadata: { context: { currency } } },
    response: { limits },
  } as unknown as DecisionDetail;
}

test('writes that go beyond a limit together say so, by currency and with what was left last', () => {
  const all = [refund('0.1', 'EUR', 1, '500'), refund('0.2', 'EUR', 3, '0.25'), refund('9', 'USD', 2, '9')];
  expect(beyondTogether(all, [LIMIT])).toEqual([
    '0.30 EUR together; `refunds-a-day` had 0.25 EUR left in the last 24 hours when they asked.',
  ]);
  expect(beyondTogether(all, [])).toEqual([]);
});
