import type { Review } from '@writecheck/api';
import { expect, test } from 'vitest';
import { deceptionOf } from '../../components/review/warnings.ts';
import { narrowed, narrowingOf, placeInWords } from './sort-reviews.ts';

function review(id: string, members: object = {}, agentValue?: string): Review {
  const intent = {
    system: 'erp',
    objectType: 'vendor',
    objectRef: id,
    field: 'iban',
    ...(agentValue && { agentValue }),
  };
  return { id, intent, askedBy: [], controls: [], comments: [], ...members } as unknown as Review;
}

test('the inbox lists attempts to deceive first, then what needs a thought, each by expiry', () => {
  const rows = [
    review('plain'),
    review('rejected', { earlier: [{ id: 'rev_0', state: 'rejected', at: '' }] }),
    review('overrides', { confirms: 'confirmation' }),
    review('hidden', {}, 'DE89\u200b3704'),
  ];
  const order = (query: string) =>
    narrowed(rows, narrowingOf(new URLSearchParams(query)), undefined).map(({ id }) => id);
  // Until it is looked through, a review stays where the service lists it.
  expect(order('')).toEqual(['rejected', 'overrides', 'plain', 'hidden']);
  for (const row of rows) deceptionOf(row);
  expect(order('')).toEqual(['hidden', 'rejected', 'overrides', 'plain']);
  expect(order('order=expiry')).toEqual(['plain', 'rejected', 'overrides', 'hidden']);
});

test('two values for one member come before what has no warning', () => {
  const rows = [
    review('a'),
    ...['1', '2'].map((value) => ({ ...review(value, {}, value), intent: review('b', {}, value).intent })),
  ];
  const order = narrowed(rows, narrowingOf(new URLSearchParams()), undefined).map(({ id }) => id);
  expect(order).toEqual(['1', '2', 'a']);
});

test('a page of the list says which rows it shows, and of how many if that is known', () => {
  expect(placeInWords(2, 30, 45, true)).toBe('31–45 of 45');
  expect(placeInWords(1, 30, 31, false)).toBe('1–30');
  // The list shrank while its second page was open.
  expect(placeInWords(2, 30, 12, true)).toBe('1–12 of 12');
});
