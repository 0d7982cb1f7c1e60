import type { Review } from '@writecheck/api';
import { expect, test } from 'vitest';
import { whyAlone } from './select-reviews.ts';

test('what overrides the source of record is not approved among others', () => {
  const intent = { system: 'erp', objectRef: 'V-1', field: 'iban', agentValue: 'DE1', authorityValue: 'DE1' };
  const review = { id: 'rev_1', intent, askedBy: [] } as unknown as Review;
  expect(whyAlone(review)).toBeNull();
  expect(whyAlone({ ...review, confirms: 'authority_confirmation' })).toMatch(
    /overrides the source of record/,
  );
});
