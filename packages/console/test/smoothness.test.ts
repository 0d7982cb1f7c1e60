/**
 * Browsing many decisions and reviews never blocks the page; `npm run torture -- console` uses more, on every page.
 * @module-tag nightly
 */
import { beforeAll, expect, test } from 'vitest';
import { fillReviews, fillStore } from './large-store.ts';
import { opened, service, useOwnConsole } from './own-console.ts';
import { walkPages } from './page-smoothness.ts';
import { seed } from './seed.ts';

useOwnConsole();

const PATHS = ['/decisions', '/reviews', '/reviews/together'];

beforeAll(async () => {
  await fillStore(service, 20_000, 20_000);
  await seed(service, { nowMs: 0 }, 100, 'now');
  await fillReviews(service, 10_000);
}, 300_000);

test('lists of 20,000 decisions and 10,000 reviews take no task over 50 ms', async () => {
  const { page } = await opened('/agents');
  const over = (await walkPages(page, service, PATHS)).filter(({ longestMs }) => longestMs > 50);
  expect(over).toEqual([]);
}, 180_000);
