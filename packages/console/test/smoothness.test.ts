/** Browsing many decisions and reviews never blocks the page; `npm run torture -- console` uses more. */
import { beforeAll, expect, test } from 'vitest';
import { fillReviews, fillStore, lookThrough, lookThroughReviews } from './list-smoothness.ts';
import { opened, service } from './own-console.ts';

beforeAll(async () => {
  await fillStore(service, 20_000);
}, 120_000);

test('scrolling, paging and filtering 20,000 decisions takes no task over 50 ms', async () => {
  const { page, complaints } = await opened('/decisions');
  const { longestMs } = await lookThrough(page);
  expect(longestMs).toBeLessThan(50);
  expect(complaints).toEqual([]);
  await page.close();
}, 90_000);

test('working through an inbox of 900 takes no task over 50 ms', async () => {
  const { page, complaints } = await opened('/reviews');
  const { longestMs } = await lookThroughReviews(page);
  expect(longestMs).toBeLessThan(50);
  expect(complaints).toEqual([]);
  await page.close();
}, 90_000);
await fillReviews(service, 1_000);
