import type { Review } from '@writecheck/api';
import { expect, test } from 'vitest';
import { between, rivalsIn, whyAlone } from './select-reviews.ts';

const NONE: ReadonlySet<string> = new Set();

test('a range goes from the last one to the clicked one, in either direction, and may have lost its beginning', () => {
  expect(between(['a', 'b', 'c', 'd'], 'b', 'd')).toEqual(['b', 'c', 'd']);
  expect(between(['a', 'b', 'c', 'd'], 'c', 'a')).toEqual(['c', 'b', 'a']);
  expect(between(['a', 'b'], null, 'b')).toEqual(['b']);
  expect(between(['a', 'b'], 'gone', 'b')).toEqual(['b']);
});

test('what overrides the source of record is not approved among others', () => {
  const intent = { system: 'erp', objectRef: 'V-1', field: 'iban', agentValue: 'DE1', authorityValue: 'DE1' };
  const review = { id: 'rev_1', intent, askedBy: [] } as unknown as Review;
  expect(whyAlone(review, NONE)).toBeNull();
  expect(whyAlone({ ...review, confirms: 'authority_confirmation' }, NONE)).toMatch(
    /overrides the source of record/,
  );
});

test('what was allowed shortly before is not approved among others, or it may run twice', () => {
  const allowed = { decisionId: 'dec_1', at: '2026-11-17T12:00:00.000Z', redeemedAt: null };
  const review = {
    id: 'rev_1',
    intent: { system: 'erp' },
    askedBy: [],
    allowedLately: [],
  } as unknown as Review;
  expect(whyAlone(review, NONE)).toBeNull();
  expect(whyAlone({ ...review, allowedLately: [allowed] }, NONE)).toMatch(/Open it on its own/);
});

test('two values for one object are never approved together, also if only one of them is selected', () => {
  const of = (id: string, agentValue: string, state = 'open', members: object = {}) => {
    const intent = { system: 'erp', objectType: 'vendor', objectRef: 'V-1027', field: 'iban', agentValue };
    return { id, state, intent: { ...intent, ...members }, askedBy: [] } as unknown as Review;
  };
  const [one, two] = [of('rev_1', 'DE12'), of('rev_2', 'DE75')];
  const apart = [
    of('rev_3', 'DE12'),
    of('rev_4', 'DE75', 'open', { objectRef: 'V-2' }),
    of('rev_5', 'DE75', 'open', { system: 'crm' }),
    of('rev_6', 'DE75', 'rejected'),
  ];
  for (const rivals of [rivalsIn([one, two], []), rivalsIn([one], [one, two])])
    expect(whyAlone(one, rivals)).toBe('Another value for V-1027 waits too. Open it on its own.');
  // An approved one may still be written.
  expect(whyAlone(one, rivalsIn([one, of('rev_7', 'DE75', 'approved')], []))).not.toBeNull();
  expect(whyAlone(one, rivalsIn([one], apart))).toBeNull();
});
