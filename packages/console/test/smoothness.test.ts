/** However many decisions there are, looking through them never holds up the page; `npm run torture -- console` has more. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signIn, startBrowser, startTestService, type TestBrowser, type TestService } from './harness.ts';
import { fillStore, lookThrough } from './list-smoothness.ts';

let service: TestService;
let browser: TestBrowser;

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), startBrowser()]);
  await fillStore(service, 20_000);
}, 120_000);
afterAll(async () => {
  await browser.close();
  await service.stop();
});

test('20,000 decisions are scrolled, paged and filtered without a task over 50 ms', async () => {
  const { page, complaints } = await browser.open(`${service.url}/#/sign-in`);
  await signIn(page, service, '/decisions');
  const { longestMs } = await lookThrough(page);
  expect(longestMs).toBeLessThan(50);
  expect(complaints).toEqual([]);
  await page.close();
}, 90_000);
