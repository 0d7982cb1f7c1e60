/** The console's frame: what is served, sign-in and sign-out, and outages of the service. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { freePort } from '../../../scripts/free-port.ts';
import { examine, signIn, startTestService } from './harness.ts';
import { browser, opened, service, useOwnConsole } from './own-console.ts';

useOwnConsole();

const FIRST_VIEW_BYTES_MAX = 80_000;
/** Of the page's thread; what else runs on the machine does not count. */
const FIRST_VIEW_MS_MAX = 500;

test('the first view is small, quick, and loads nothing from other hosts', async () => {
  const { urls, workedMs } = await visitFirst();
  let gzippedBytes = 0;
  for (const url of urls) {
    // A build for debugging would name the files of this machine.
    expect(await (await fetch(url)).text(), url).not.toContain('src/components/');
    const response = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } });
    gzippedBytes += Number(response.headers.get('content-length'));
  }
  console.log(`first view: ${gzippedBytes} bytes gzipped, ${Math.round(workedMs)} ms of CPU`);
  expect(urls.filter((url) => !url.startsWith(service.url))).toEqual([]);
  expect(urls.some((url) => url.endsWith('.woff2'))).toBe(true);
  expect(gzippedBytes).toBeGreaterThan(0);
  expect(gzippedBytes).toBeLessThan(FIRST_VIEW_BYTES_MAX);
  expect(workedMs).toBeGreaterThan(0);
  expect(workedMs).toBeLessThan(FIRST_VIEW_MS_MAX);
});

/** With nothing cached, as on a first visit. */
async function visitFirst() {
  const { page } = await browser.open('about:blank');
  const protocol = await page.context().newCDPSession(page);
  await protocol.send('Network.enable');
  await protocol.send('Network.setCacheDisabled', { cacheDisabled: true });
  await protocol.send('Performance.enable', { timeDomain: 'threadTicks' });
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  await page.goto(service.url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.evaluate(() => document.fonts.ready);
  const { metrics } = await protocol.send('Performance.getMetrics');
  const workedMs = 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  await page.close();
  return { urls, workedMs };
}

test('an owner signs in at the address they opened, survives a reload, and leaves nothing behind', async () => {
  const { page } = await browser.open(`${service.url}/#/playground`);
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
});

test('a key for checks cannot sign in, and is not even sent', async () => {
  const { page } = await browser.open(`${service.url}/#/sign-in`);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  for (const key of [service.developmentKey, service.liveKey]) {
    await page.getByLabel('Owner key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('cannot sign in').waitFor();
  }
  const calls = asked.filter((url) => url.includes('/v1/') && !url.endsWith('/v1/sessions/ways'));
  expect(calls).toEqual([]);
  const mistyped = `${service.ownerKey.slice(0, -1)}${service.ownerKey.endsWith('0') ? '1' : '0'}`;
  await page.getByLabel('Owner key').fill(mistyped);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('invalid_key').waitFor();
  await examine(page, 'sign-in-refused', 'variation');
});

test('fifteen idle minutes sign the owner out', async () => {
  const { page } = await browser.open('about:blank');
  await page.clock.install();
  await signIn(page, service);
  await page.clock.fastForward(14 * 60_000);
  await page.keyboard.press('Shift');
  await page.clock.fastForward(14 * 60_000);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await page.clock.fastForward(2 * 60_000);
  await page.getByText('after a period of inactivity').waitFor();
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('wck_');
});

test('an owner key that is revoked elsewhere signs out here', async () => {
  const headers = { authorization: `Bearer ${service.ownerKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ kind: 'owner', name: 'second' });
  const made = await (await fetch(`${service.url}/v1/keys`, { method: 'POST', headers, body })).json();
  const { page } = await opened('/playground', { ...service, ownerKey: made.secret });
  await page.getByText('Predicted in this page').waitFor();
  await fetch(`${service.url}/v1/keys/${made.key.id}`, { method: 'DELETE', headers });
  await page.getByRole('button', { name: 'Create a development key' }).click();
  await page.getByText('the key or session no longer works').waitFor();
});

test('the page reports an outage of the service, and recovers on its own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-away-'));
  const settings = { port: String(await freePort()) };
  const first = await startTestService({ folder, settings });
  const { page } = await browser.open(first.url);
  const open = (name: string) => page.getByRole('link', { name, exact: true }).click();
  await signIn(page, first);
  await page.getByText('Predicted in this page').waitFor();
  await open('Overview');
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  await first.stop();

  await open('Playground');
  await page.getByText('Can’t reach the service.').waitFor();
  await page.getByText('This part loads once it responds.').first().waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await examine(page, 'service-away', 'variation');

  const second = await startTestService({ folder, settings });
  await page.getByText('Predicted in this page').waitFor();
  await page.getByText('Can’t reach the service.').waitFor({ state: 'detached' });
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.close();
  await second.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('a page first opened during an outage loads once the service is back', async () => {
  const { page } = await opened('/playground');
  await page.getByText('Predicted in this page').waitFor();
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Observe', exact: true }).click();
  await page.getByText('This page opens once the service responds.').waitFor();
  await page.getByText('Can’t reach the service.').waitFor();
  // A reload would lose what is typed and bring nothing back, so none is offered and the browser asks first.
  expect(await page.getByRole('button', { name: 'Reload' }).count()).toBe(0);
  const unload = () =>
    page.evaluate(() => window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
  expect(await unload()).toBe(false);
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'In observe mode' }).waitFor();
  expect(await unload()).toBe(true);
});

test('a part of a page that is needed in an outage loads once the service is back', async () => {
  const { page } = await opened('/playground');
  await page.getByText('Predicted in this page').waitFor();
  // The overview asks for reviews, and then for the part that judges them.
  let isCut = false;
  const cut = async (route: Route) => {
    const response = await route.fetch();
    if (!isCut) await page.context().setOffline(true);
    isCut = true;
    await route.fulfill({ response });
  };
  // The page may close meanwhile.
  await page.route('**/v1/reviews?*', (route) => cut(route).catch(() => undefined));
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByText('Can’t reach the service.').waitFor();
  await page.context().setOffline(false);
  await page.getByText('Can’t reach the service.').waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
});

test('a proxy’s response is not taken for the service, and unreadable responses are not shown', async () => {
  const { page, complaints } = await opened('/playground');
  await page.route('**/v1/keys', (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }));
  await page.route('**/healthz', (route) => route.fulfill({ status: 200, body: '<h1>Welcome</h1>' }));
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  await page.getByText('Can’t reach the service.').waitFor();
  await page.getByText('something other than the service', { exact: false }).waitFor();
  await page.unroute('**/v1/keys');
  await page.unroute('**/healthz');
  await page.getByRole('table', { name: 'Active keys' }).waitFor();

  const answer = (json: unknown) => page.route('**/v1/policies', (route) => route.fulfill({ json }));
  await answer({ message: 'hello' });
  await page.getByRole('link', { name: 'Observe', exact: true }).click();
  await page.getByText('This page cannot read the response', { exact: false }).waitFor();
  expect(await page.getByText('All policies are enforced').count()).toBe(0);
  await answer({ revision: 1, digest: 'sha256:x', documents: [null] });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('alert').getByText('This page failed.').waitFor();
  expect(complaints.splice(0)).toEqual([expect.stringContaining('TypeError')]);
  await page.unroute('**/v1/policies');
  await page.getByRole('link', { name: 'Usage', exact: true }).click();
  await page.getByText('Development checks').waitFor();
});

test('Ctrl+K leads to a page, a pasted ID, a search, or what was looked at lately until sign-out', async () => {
  const { page } = await opened('/overview');
  // The frame listens for keys once it is drawn; the page in it comes after that.
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Page, name, ID or search' });
  // At once: nothing typed before its list is loaded is lost.
  await page.keyboard.type('polic');
  expect(await field.inputValue()).toBe('polic');
  await page.getByRole('option', { name: /^Policy map/ }).waitFor();
  await examine(page, 'palette');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Policy map' }).waitFor();
  await page.keyboard.press('Control+k');
  await field.fill(`dec_${'0'.repeat(32)}`);
  await page.keyboard.press('Enter');
  await page.getByText('There is no such decision', { exact: false }).waitFor();
  await page.keyboard.press('Control+k');
  await field.fill('V-2077');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain('#/decisions?q=V-2077&time=all');
  await page.getByRole('button', { name: 'Go to or find' }).click();
  await field.fill('create a key');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Create a key' }).waitFor();
  await page.keyboard.press('Escape');
  await page.goto(`${service.url}/#/decisions?objectRef=V-2077`);
  await page.getByRole('link', { name: 'Agents', exact: true }).click();
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('group', { name: 'Recent' }).getByRole('option', { name: 'V-2077' }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain('#/decisions?objectRef=V-2077');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out').waitFor();
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('V-2077');
});

test('the keyboard alone can create a workspace and send a check', async () => {
  const { page } = await browser.open(service.url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Skip to content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Sign in with the owner key');
  await page.keyboard.press('Tab');
  await page.keyboard.type('By keyboard');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'By keyboard' }).waitFor();
  await expect.poll(focused).toBe('Save these two keys now');
  // It is loaded after the keys are shown.
  await page.getByRole('button', { name: 'Run it here' }).waitFor();
  for (let presses = 0; (await focused()) !== 'Run it here'; presses += 1) {
    expect(presses).toBeLessThan(30);
    await page.keyboard.press('Tab');
  }
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle);
  expect(outline).toBe('solid');
  await page.keyboard.press('Space');
  await page.getByRole('figure').getByText('requirements_met').waitFor();
});

test('the chosen theme is remembered', async () => {
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
});

test('an unknown address says so', async () => {
  const { page } = await browser.open(`${service.url}/#/nowhere`);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
});

test('? lists the shortcuts; g and a letter go places, unless they are turned off', async () => {
  const { page } = await browser.open('about:blank');
  await signIn(page, service, '/decisions');
  const dialog = page.getByRole('dialog', { name: 'Help' });
  await page.getByRole('heading', { name: 'Decisions', level: 1 }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('?gi');
  expect(await page.getByLabel('Search').inputValue()).toBe('?gi');
  await page.getByLabel('Search').blur();
  await page.keyboard.press('?');
  await dialog.waitFor();
  await examine(page, 'shortcuts');
  await dialog.getByLabel('Use these shortcuts').uncheck();
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  expect(await dialog.count()).toBe(0);
  await page.getByRole('button', { name: 'Help and keyboard shortcuts' }).click();
  await dialog.getByLabel('Use these shortcuts').check();
  await dialog.getByRole('button', { name: 'Close' }).click();
  for (const key of ['g', 'i']) await page.keyboard.press(key);
  await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
});
