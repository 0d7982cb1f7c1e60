/** Browsing many decisions never blocks the page; `npm run torture -- console` uses more. */
import { beforeAll, expect, test } from 'vitest';
import { fillStore, lookThrough } from './list-smoothness.ts';
import { opened, service } from './own-console.ts';

beforeAll(() => fillStore(service, 20_000), 120_000);

test('scrolling, paging and filtering 20,000 decisions takes no task over 50 ms', async () => {
  const { page, complaints } = await opened('/decisions');
  const { longestMs } = await lookThrough(page);
  expect(longestMs).toBeLessThan(50);
  expect(complaints).toEqual([]);
  await page.close();
}, 90_000);
