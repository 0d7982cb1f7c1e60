import type { Review } from '@writecheck/api';
import { expect, test } from 'vitest';
import { UNREAD_AROUND } from '../../components/review/warnings.ts';
import { between, rivalsIn, whyAlone } from './select-reviews.ts';

test('a range goes from the last one to the clicked one, in either direction, and may have lost its beginning', () => {
  expect(between(['a', 'b', 'c', 'd'], 'b', 'd')).toEqual(['b', 'c', 'd']);
  expect(between(['a', 'b', 'c', 'd'], 'c', 'a')).toEqual(['c', 'b', 'a']);
  expect(between(['a', 'b'], null, 'b')).toEqual(['b']);
  expect(between(['a', 'b'], 'gone', 'b')).toEqual(['b']);
});

const AROUND = { lookAlikes: 0, conflicting: [] };
const OPENED = '2026-11-17T12:00:00.000Z';

test('whatever needs a tick on its own page is not approved among others', () => {
  const intent = { system: 'erp', objectRef: 'V-1', field: 'iban', agentValue: 'DE1', authorityValue: 'DE1' };
  const review = { id: 'rev_1', intent, openedAt: OPENED, askedBy: [] } as unknown as Review;
  const lately = { decisionId: 'dec_1', at: OPENED, redeemedAt: null };
  expect(whyAlone(review, AROUND)).toBeNull();
  for (const [members, around, why] of [
    [{ confirms: 'confirmation' }, {}, /^Approving overrides .*Open it on its own\.$/],
    [{ allowedLately: [lately] }, {}, /^This write was allowed/],
    [{ earlier: [{ id: 'rev_0', state: 'rejected', at: OPENED }] }, {}, /^A reviewer rejected/],
    [{ excludedByCaller: [{ id: 'per_1', name: 'Ada' }] }, {}, /^The caller says/],
    [{}, { lookAlikes: 1 }, /^1 more look-alike value was stopped/],
    [{}, { lastAllowed: { value: 'DE2', decisionId: 'dec_1', at: OPENED } }, /^Another value for this IBAN/],
    [{}, UNREAD_AROUND, /^Not all that happened/],
  ] as const)
    expect(whyAlone({ ...review, ...members } as Review, { ...AROUND, ...around })).toMatch(why);
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
  const why = (named: readonly Review[], open: readonly Review[]) =>
    whyAlone(one, { ...AROUND, conflicting: rivalsIn(named, open).get(one.id) ?? [] });
  for (const alone of [why([one, two], []), why([one], [one, two])])
    expect(alone).toBe('Another open review would write DE75 here. Open it on its own.');
  // An approved one may still be written.
  expect(why([one, of('rev_7', 'DE75', 'approved')], [])).toMatch(/^An approved review would write DE75/);
  expect(why([one], apart)).toBeNull();
});
