/** The frame of the console: what is served, who gets in and out, and how it lives through the service going away. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examine, signIn, startTestService } from './harness.ts';
import { browser, service } from './own-console.ts';

const FIRST_VIEW_BYTES_MAX = 80 * 1024;
const FIRST_VIEW_MS_MAX = 1_000;

test('the first view is small, quick, and of nothing but this service', async () => {
  const { page, complaints } = await browser.open('about:blank');
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  // The moment at which the page is there, not only the frame around it.
  await page.addInitScript(() => {
    const look = new MutationObserver(() => {
      if (document.querySelector('h1') === null) return;
      document.documentElement.dataset.shownMs = String(performance.now());
      look.disconnect();
    });
    look.observe(document, { childList: true, subtree: true });
  });
  await page.goto(service.url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const shownMs = await page.evaluate(() => Number(document.documentElement.dataset.shownMs));
  let gzippedBytes = 0;
  for (const url of urls) {
    const response = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } });
    gzippedBytes += Number(response.headers.get('content-length'));
  }
  console.log(`first view: ${gzippedBytes} bytes gzipped, shown after ${Math.round(shownMs)} ms`);
  expect(urls.filter((url) => !url.startsWith(service.url))).toEqual([]);
  expect(gzippedBytes).toBeGreaterThan(0);
  expect(gzippedBytes).toBeLessThan(FIRST_VIEW_BYTES_MAX);
  expect(shownMs).toBeLessThan(FIRST_VIEW_MS_MAX);
  expect(complaints).toEqual([]);
  await page.close();
});

test('an owner signs in where they came for, is still there after a reload, and leaves nothing behind', async () => {
  const { page, complaints } = await browser.open(`${service.url}/#/playground`);
  await page.getByLabel('Owner key').fill(` ${service.ownerKey}\n`);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Playground' }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  expect(await page.context().cookies()).toEqual([]);
  await page.reload();
  await page.getByRole('heading', { name: 'Playground' }).waitFor();
  const other = await browser.open(`${service.url}/#/playground`);
  await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await other.page.close();

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByText('You are signed out').waitFor();
  expect(await page.evaluate(() => JSON.stringify([sessionStorage, localStorage]))).not.toContain('wck_');
  await examine(page, 'sign-in');
  expect(complaints).toEqual([]);
  await page.close();
});

test('a checking key cannot sign in, and is not even sent', async () => {
  const { page } = await browser.open(`${service.url}/#/sign-in`);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  for (const key of [service.developmentKey, service.liveKey]) {
    await page.getByLabel('Owner key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('cannot sign in').waitFor();
  }
  expect(asked.filter((url) => url.includes('/v1/'))).toEqual([]);
  const mistyped = `${service.ownerKey.slice(0, -1)}${service.ownerKey.endsWith('0') ? '1' : '0'}`;
  await page.getByLabel('Owner key').fill(mistyped);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('invalid_key').waitFor();
  await examine(page, 'sign-in-refused');
  await page.close();
});

test('who does nothing for fifteen minutes is signed out', async () => {
  const { page } = await browser.open('about:blank');
  await page.clock.install();
  await signIn(page, service);
  await page.clock.fastForward(14 * 60_000);
  await page.keyboard.press('Shift');
  await page.clock.fastForward(14 * 60_000);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await page.clock.fastForward(2 * 60_000);
  await page.getByText('nothing happened in this tab for a while').waitFor();
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('wck_');
  await page.close();
});

test('an owner key that is revoked elsewhere signs out here', async () => {
  const headers = { authorization: `Bearer ${service.ownerKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ kind: 'owner', name: 'second' });
  const made = await (await fetch(`${service.url}/v1/keys`, { method: 'POST', headers, body })).json();
  const { page } = await browser.open(service.url);
  await signIn(page, { ...service, ownerKey: made.secret });
  await page.getByText('Predicted in this page').waitFor();
  await fetch(`${service.url}/v1/keys/${made.key.id}`, { method: 'DELETE', headers });
  await page.getByRole('button', { name: 'Make a development key' }).click();
  await page.getByText('the service no longer takes the key').waitFor();
  await page.close();
});

test('the service goes away and comes back: the page says so, and goes on by itself', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-away-'));
  const first = await startTestService({ folder });
  const { page } = await browser.open(first.url);
  const open = (name: string) => page.getByRole('link', { name, exact: true }).click();
  await signIn(page, first);
  await page.getByText('Predicted in this page').waitFor();
  await open('Start');
  await first.stop();

  await open('Playground');
  await page.getByText('The service does not answer.').waitFor();
  await page.getByRole('alert').first().getByText('The service cannot be reached').waitFor();
  await examine(page, 'service-away');

  const second = await startTestService({ folder, settings: { port: new URL(first.url).port } });
  await page.getByText('Predicted in this page').waitFor();
  await page.getByText('The service does not answer.').waitFor({ state: 'detached' });
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.close();
  await second.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('a page that is first opened while the service is away is there once it is back', async () => {
  const { page } = await browser.open(service.url);
  await signIn(page, service);
  await page.getByText('Predicted in this page').waitFor();
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Observe', exact: true }).click();
  await page.getByText('This page could not be loaded.', { exact: false }).waitFor();
  await page.getByText('The service does not answer.').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'What observes' }).waitFor();
  await page.close();
});

test('what a proxy answers is not the service, and what the service does not mean is not shown', async () => {
  const { page } = await browser.open(service.url);
  await signIn(page, service);
  await page.route('**/v1/keys', (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }));
  await page.route('**/healthz', (route) => route.fulfill({ status: 200, body: '<h1>Welcome</h1>' }));
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  await page.getByText('The service does not answer.').waitFor();
  await page.getByText('it was not the service', { exact: false }).waitFor();
  await page.unroute('**/v1/keys');
  await page.unroute('**/healthz');
  await page.getByRole('table', { name: 'Keys that work' }).waitFor();

  const answer = (json: unknown) => page.route('**/v1/policies', (route) => route.fulfill({ json }));
  await answer({ message: 'hello' });
  await page.getByRole('link', { name: 'Observe', exact: true }).click();
  await page.getByText('is not one that this page understands', { exact: false }).waitFor();
  expect(await page.getByText('all that runs is enforced').count()).toBe(0);
  await answer({ revision: 1, digest: 'sha256:x', documents: [null] });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('alert').getByText('This page broke.').waitFor();
  await page.unroute('**/v1/policies');
  await page.getByRole('link', { name: 'Usage', exact: true }).click();
  await page.getByText('Development checks').waitFor();
  await page.close();
});

test('the keyboard alone is enough to make a workspace and ask for a decision', async () => {
  const { page } = await browser.open(service.url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Skip to the content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.type('By keyboard');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'By keyboard' }).waitFor();
  expect(await focused()).toBe('Keep these two keys now');
  for (let presses = 0; (await focused()) !== 'Run it from here'; presses += 1) {
    expect(presses).toBeLessThan(30);
    await page.keyboard.press('Tab');
  }
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle);
  expect(outline).toBe('solid');
  await page.keyboard.press('Space');
  await page.getByRole('figure').getByText('requirements_met').waitFor();
  await page.close();
});

test('the theme is chosen and remembered', async () => {
  const { page } = await browser.open(service.url);
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await ground();
  await page.getByLabel('Theme').selectOption('dark');
  const dark = await ground();
  expect(dark).not.toBe(light);
  await page.reload();
  expect(await ground()).toBe(dark);
  await page.getByLabel('Theme').selectOption('system');
  expect(await ground()).toBe(light);
  await page.close();
});

test('an address that is no page says so', async () => {
  const { page } = await browser.open(`${service.url}/#/nowhere`);
  await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
  await page.close();
});
