/** The frame of the console: it is served, it lets an owner in and out, and it lives through the service going away. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  examine,
  signIn,
  startBrowser,
  startTestService,
  type TestBrowser,
  type TestService,
} from './harness.ts';

let service: TestService;
let browser: TestBrowser;

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), startBrowser()]);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await service.stop();
});

test('an owner signs in, comes back after a reload, and signs out', async () => {
  const { page, complaints } = await browser.open(service.url);
  await signIn(page, service);
  await page.reload();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(
    await page.evaluate(() => JSON.stringify([sessionStorage, localStorage, document.cookie])),
  ).not.toContain('wck_');
  await examine(page, 'sign-in');
  expect(complaints).toEqual([]);
  await page.close();
});
