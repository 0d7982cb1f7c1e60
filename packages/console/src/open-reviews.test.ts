import { expect, test, vi } from 'vitest';
import { badgeOf, countInWords, noteDecided, noteOpenReviews, openReviews } from './open-reviews.ts';

// It reads the address, which only a browser has.
vi.mock('./state/notify.ts', () => ({ notifyOfReviews: () => undefined }));

test('the badge is the same, however far whoever counts has counted', () => {
  // The background count stops at two hundred, and the inbox reads all 273.
  expect(countInWords(badgeOf(200, true))).toBe('200+');
  expect(countInWords(badgeOf(273, false))).toBe('200+');
  expect([badgeOf(200, false), badgeOf(7, false), badgeOf(0, false)].map(countInWords)).toEqual([
    '200',
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
  // How many there are beyond two hundred is not known.
  noteOpenReviews(260, true);
  noteDecided();
  expect(countInWords(openReviews.get())).toBe('200+');
});
