import type { DecisionDetail } from '@writecheck/api';
import type { LimitState } from '@writecheck/contract';
import type { PolicyDocument } from '@writecheck/engine';
import { expect, test } from 'vitest';
import { beyondInWords, reasonInShort } from './beyond-limit.ts';

const LIMIT = {
  ...{ kind: 'Limit', id: 'refunds-per-customer', max: '500', per: 'day', sum: 'intent.amount' },
  by: ['intent.customer', 'intent.currency'],
} as unknown as PolicyDocument;

function paused(limit: Partial<LimitState>, response: object = {}): DecisionDetail {
  const state = { max: '500', drawn: '450', draw: '99', per: 'day', resetsAt: null, observed: false };
  return {
    keyId: 'key_1',
    intent: { customer: 'C-1001', currency: 'EUR' },
    response: {
      decision: 'pause',
      reason_code: 'CONTROL_EVIDENCE_MISSING',
      controlEvaluations: [
        { controlId: 'approval', effect: 'pause' },
        { controlId: 'identity', effect: 'allow' },
      ],
      requirementProvenance: [
        { controlId: 'approval', sources: ['limit:refunds-per-customer@1'] },
        { controlId: 'identity', sources: ['profile:refunds@1'] },
      ],
      review: { controls: ['approval'] },
      limits: [{ ...state, id: 'refunds-per-customer', beyond: true, ...limit }],
      ...response,
    },
  } as unknown as DecisionDetail;
}

test('a limit that made an approval necessary is named as the cause, with how far the write goes beyond it', () => {
  expect(beyondInWords(paused({}), [LIMIT])).toBe(
    '99.00 EUR goes 49.00 EUR beyond the limit for customer `C-1001` today (UTC), `refunds-per-customer`. Beyond that, a person must approve.',
  );
  expect(reasonInShort(paused({}))).toBe('Beyond a limit');
});

test('counted writes have a place instead of an amount', () => {
  const { sum: _, ...counting } = LIMIT as PolicyDocument & { sum: string };
  const sixth = paused({ max: '5', drawn: '5', draw: '1', per: '1h' }, { review: undefined });
  expect(beyondInWords(sixth, [{ ...counting, by: ['key'] } as unknown as PolicyDocument])).toBe(
    'This is the 6th write for `key_1` in the last hour; `refunds-per-customer` allows 5. Beyond that, the write needs `approval`.',
  );
});

test('an amount that cannot be read is said, not guessed', () => {
  expect(beyondInWords(paused({ draw: null }), [LIMIT])).toContain('can’t be read');
});

test.each([
  ['a profile requires the missing control as well', { requirementProvenance: [] }],
  ['the control failed', { reason_code: 'CONTROL_FAILED' }],
  ['the write was allowed', { decision: 'allow' }],
])('a limit is not the cause if %s', (_, response) => {
  expect(beyondInWords(paused({}, response), [LIMIT])).toBeNull();
  expect(reasonInShort(paused({}, response))).not.toBe('Beyond a limit');
});

test('a limit that only observes is not the cause', () => {
  expect(beyondInWords(paused({ observed: true }), [LIMIT])).toBeNull();
});

test('a write that waits for a person only needs approval; one that lacks a check says so', () => {
  const short = (response: object) => reasonInShort(paused({}, { requirementProvenance: [], ...response }));
  expect(short({})).toBe('Needs approval');
  expect(short({ review: undefined })).toBe('Check missing');
  const both = ['approval', 'identity'].map((controlId) => ({ controlId, effect: 'pause' }));
  expect(short({ controlEvaluations: both })).toBe('Check missing');
});

test('a value that only looks like the source’s is called a look-alike, one that plainly differs is not', () => {
  const of = (agentValue: string) => {
    const detail = paused({}, { decision: 'block', reason_code: 'authority_mismatch' });
    return reasonInShort({ ...detail, intent: { agentValue, authorityValue: 'DE89' } });
  };
  expect(of('D\u041589')).toBe('Look-alike value');
  expect(of('FR12')).toBe('Value differs from the source');
});
