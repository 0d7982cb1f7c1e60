/** However many decisions there are, looking through them never holds up the page; `npm run torture -- console` has more. */
import { beforeAll, expect, test } from 'vitest';
import { fillStore, lookThrough } from './list-smoothness.ts';
import { opened, service } from './own-console.ts';

beforeAll(() => fillStore(service, 20_000), 120_000);

test('20,000 decisions are scrolled, paged and filtered without a task over 50 ms', async () => {
  const { page, complaints } = await opened('/decisions');
  const { longestMs } = await lookThrough(page);
  expect(longestMs).toBeLessThan(50);
  expect(complaints).toEqual([]);
  await page.close();
}, 90_000);
