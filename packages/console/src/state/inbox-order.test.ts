import { expect, test } from 'vitest';
import { endWalkAt, inboxOrder, noteInboxOrder, placeIn, placeInQueue } from './inbox-order.ts';

const LISTED = ['a', 'b', 'c', 'd'];

test('the place in the queue counts those that wait, and leads only to them', () => {
  const place = (over: readonly string[], ...shown: readonly string[]) =>
    placeIn(LISTED, new Set(over), shown);
  expect(place([], 'b')).toEqual({ number: 2, count: 4, previous: 'a', next: 'c' });
  expect(place(['a', 'c'], 'b')).toEqual({ number: 1, count: 2, previous: null, next: 'd' });
  expect(place(['a', 'b'], 'b')).toEqual({ number: null, count: 2, previous: null, next: 'c' });
  // After several at once, the next is none of them.
  expect(place(['a', 'c'], 'a', 'c')?.next).toBe('d');
  expect(place([], 'x')).toBeNull();
});

test('a place is told as what is left once the review is over', () => {
  const said = (over: readonly string[], id: string) => placeInQueue(placeIn(LISTED, new Set(over), [id])!);
  expect(said([], 'b')).toBe('2 of 4');
  expect(said(['b'], 'b')).toBe('3 left');
  expect(said(LISTED, 'b')).toBeNull();
});

test('the order of the inbox holds for its reviews and their decisions, and for no other page', () => {
  const isKeptAt = (path: string) => {
    noteInboxOrder(LISTED);
    endWalkAt(path);
    return inboxOrder.get().length > 0;
  };
  expect(
    ['/reviews', '/reviews/rev_1', '/reviews/together', '/decisions/dec_1'].filter(isKeptAt),
  ).toHaveLength(4);
  expect(['/overview', '/decisions', '/agents/key_1', '/'].filter(isKeptAt)).toEqual([]);
});
