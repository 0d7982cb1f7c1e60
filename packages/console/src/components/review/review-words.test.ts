import type { Review } from '@writecheck/api';
import { expect, test } from 'vitest';
import { endOf } from './review-words.tsx';

const by = { kind: 'person', id: 'per_1', name: 'Rita Reyes' } as const;

test('the end of a review names who decided it, and nobody if nobody did', () => {
  const of = (state: Review['state'], verdicts: readonly object[] = []) =>
    endOf({ state, verdicts } as unknown as Review);
  expect(of('open')).toBeNull();
  expect(of('rejected', [{ verdict: 'reject', by }])).toBe('Rejected by Rita Reyes');
  expect(of('approved', [{ verdict: 'approve', by: { ...by, kind: 'owner_key', name: 'owner' } }])).toBe(
    'Approved by Owner key',
  );
  expect(of('approved', [{ verdict: 'approve', by: { ...by, kind: 'owner_key', name: 'desk' } }])).toBe(
    'Approved by Owner key desk',
  );
  expect(of('expired', [{ verdict: 'approve', by }])).toBe('Review expired');
  expect(of('cancelled')).toBe('Review cancelled');
});
