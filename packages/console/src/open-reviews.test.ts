import { expect, test, vi } from 'vitest';
import { badgeOf, countInWords, noteDecided, noteOpenReviews, openReviews } from './open-reviews.ts';

// It reads the address, which only a browser has.
vi.mock('./state/notify.ts', () => ({ notifyOfReviews: () => undefined }));

test('the badge is the same, however far whoever counts has counted', () => {
  // The background count stops at fifty, and the inbox reads all 73.
  expect(countInWords(badgeOf(50, true))).toBe('50+');
  expect(countInWords(badgeOf(73, false))).toBe('50+');
  expect([badgeOf(50, false), badgeOf(7, false), badgeOf(0, false)].map(countInWords)).toEqual([
    '50',
    '7',
    null,
  ]);
});

test('a verdict counts at once, and never below zero', () => {
  noteOpenReviews(2, false);
  const shown = [1, 2, 3].map(() => {
    noteDecided();
    return openReviews.get()?.count;
  });
  expect(shown).toEqual([1, 0, 0]);
  // How many there are beyond fifty is not known.
  noteOpenReviews(60, true);
  noteDecided();
  expect(countInWords(openReviews.get())).toBe('50+');
});
