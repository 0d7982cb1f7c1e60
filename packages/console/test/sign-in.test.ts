/** People in the browser: an invitation, a passkey of Chromium's own authenticator, signing out and in again. */
import { expect, test } from 'vitest';
import { freePort } from '../../../scripts/free-port.ts';
import { ask } from '../../service/test/ask.ts';
import { browse, CLIENT, startProvider } from '../../service/test/oidc-kit.ts';
import { invite, originOf } from '../../service/test/sign-in-kit.ts';
import { addAuthenticator, examine, startTestService } from './harness.ts';
import { browser, joined, opened, service, useOwnConsole } from './own-console.ts';

useOwnConsole();

test('somebody invited makes a passkey, signs in with it, and sees who they are', async () => {
  const { url, token, email } = await invite(service, { name: 'Ada Lovelace' });
  const { page } = await browser.open(`${originOf(service)}/`);
  await addAuthenticator(page);
  await page.goto(url);
  await page.getByRole('heading', { name: 'Join Writecheck' }).waitFor();
  expect(page.url()).not.toContain(token);
  await page.getByText(/Ada Lovelace, you are invited to .+ as a reviewer\./).waitFor();
  await examine(page, 'invitation');
  await page.getByRole('button', { name: 'Create a passkey' }).click();
  // Somebody who decides starts where the decisions wait.
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
  expect(page.url()).toBe(`${originOf(service)}/#/reviews`);
  await page.getByRole('banner').getByText('Ada Lovelace').waitFor();

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.goto(`${originOf(service)}/#/sign-in`);
  await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
  await examine(page, 'sign-in-passkey', 'variation');
  expect(await page.getByRole('button', { name: 'Continue with single sign-on' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await page.goto(`${originOf(service)}/#/sign-in`);
  await page.getByRole('main').getByText('Ada Lovelace').waitFor();
  expect(await page.getByRole('main').getByText(email).count()).toBe(1);

  // A reviewer is offered nothing that the service would refuse.
  await page.goto(`${originOf(service)}/#/overview`);
  await page.getByText('Ready: responds and records').waitFor();
  await page.getByText('Nothing needs attention.').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Keys', exact: true }).count()).toBe(0);
  await examine(page, 'overview-reviewer', 'variation');
  await page.goto(`${originOf(service)}/#/keys`);
  await page.getByText('Your roles (reviewer) don’t include this page.', { exact: false }).waitFor();
  await page.goto(`${originOf(service)}/#/policies`);
  await page.getByText('Only authors and owners can apply policies.').waitFor();
});

test('a used invitation says so, and signing in without a passkey can be tried again', async () => {
  const { page, url } = await joined();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.goto(`${originOf(service)}/#/playground`);
  await page.goto(url);
  await page.getByRole('alert').filter({ hasText: 'ask an owner' }).waitFor();
});

test('signing out ends the session at the service', async () => {
  const { page } = await joined();
  const token = await page.evaluate(() => JSON.parse(sessionStorage.getItem('writecheck.session')!).secret);
  expect(token).toMatch(/^wck_ses_/);
  const ends: string[] = [];
  page.on('request', (request) => request.method() === 'DELETE' && ends.push(request.url()));
  const ended = page.waitForResponse((response) => response.request().method() === 'DELETE');
  await page.getByRole('button', { name: 'Sign out' }).click();
  expect((await ended).status()).toBe(204);
  const me = await fetch(`${service.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
  expect(me.status).toBe(401);
  expect(ends).toEqual([`${originOf(service)}/v1/sessions/current`]);
});

test('who renames a person gives back no role that was taken away meanwhile', async () => {
  const { id } = await invite(service, { name: 'Rosa', roles: ['reviewer', 'auditor'] });
  const { page } = await opened('/people');
  const row = page.getByRole('row').filter({ hasText: 'Rosa' });
  await row.getByText('reviewer, auditor').waitFor();
  await giveRoles(id, ['auditor']);
  await page.getByLabel('Actions for Rosa').click();
  await page.getByRole('button', { name: 'Change …' }).click();
  const change = page.getByRole('dialog', { name: 'Change Rosa' });
  await change.getByLabel('Name (required)').fill('Rosalind');
  await change.getByRole('button', { name: 'Change' }).click();
  await change.waitFor({ state: 'detached' });
  const { body } = await ask(`${service.url}/v1/people`, { key: service.ownerKey });
  const rosa = body.people.find((person: { id: string }) => person.id === id);
  expect(rosa).toMatchObject({ name: 'Rosalind', roles: ['auditor'] });
});

test('an owner changes their own name, and another one their roles', async () => {
  const { page } = await joined({ name: 'Olga', roles: ['owner'] });
  await page.goto(`${originOf(service)}/#/people`);
  await page.getByLabel('Actions for Olga').click();
  await page.getByRole('button', { name: 'Change …' }).click();
  const change = page.getByRole('dialog', { name: 'Change Olga' });
  await change.getByText('Another owner changes your roles').waitFor();
  expect(await change.getByRole('checkbox').count()).toBe(0);
  await change.getByLabel('Name (required)').fill('Olga Tokarczuk');
  await change.getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('Actions for Olga Tokarczuk').waitFor();
});

test('a person who was given a role sees its pages without signing in again', async () => {
  const { page } = await joined({ name: 'Petra', roles: ['reviewer'] });
  await page.goto(`${originOf(service)}/#/people`);
  await page.getByText('include this page').waitFor();
  const { body } = await ask(`${service.url}/v1/people`, { key: service.ownerKey });
  const { id } = body.people.find(({ name }: { name: string }) => name === 'Petra');
  await giveRoles(id, ['reviewer', 'owner']);
  await page.goto(`${originOf(service)}/#/inbox`);
  await page.goto(`${originOf(service)}/#/people`);
  await page.getByRole('button', { name: 'Invite a person' }).waitFor();
});

test('an address cannot have passkeys: the page says so and leads to localhost, with the invitation', async () => {
  const { token } = await invite(service);
  const { page } = await browser.open(`${service.url}/invitation#${token}`);
  await page.getByText('Passkeys need a host name').waitFor();
  const link = page.getByRole('link', { name: 'Open it as localhost' });
  const there = `${originOf(service)}/#${token}`;
  expect(await link.getAttribute('href')).toBe(there);
  await page.goto(there);
  await page.getByRole('button', { name: 'Create a passkey' }).waitFor();
  await page.goto(`${service.url}/#/sign-in`);
  await page.getByText('Passkeys need a host name').waitFor();
  expect(await page.getByLabel('Owner key').count()).toBe(1);
});

test('single sign-on leads to the provider and back into the tab that began', async () => {
  // The provider must know the callback before the service has its port.
  const port = String(await freePort());
  const callback = `http://localhost:${port}/v1/sessions/oidc/callback`;
  const provider = await startProvider(callback);
  const desk = await startTestService({
    settings: { port, oidcIssuer: provider.issuer, oidcClientId: CLIENT.id, oidcClientSecret: CLIENT.secret },
  });
  try {
    const { email } = await invite(desk, { name: 'Grace Hopper' });
    provider.signInAs({ sub: 'grace', email, emailVerified: true });
    const { page } = await browser.open(`${originOf(desk)}/#/sign-in`);
    await page.getByLabel('Workspace ID').fill(desk.workspace);
    await examine(page, 'sign-in-three-ways', 'variation');
    await page.getByRole('button', { name: 'Continue with single sign-on' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(page.url()).not.toContain('wck_oidc_');
    await page.goto(`${originOf(desk)}/#/sign-in`);
    await page.getByRole('main').getByText('Grace Hopper').waitFor();

    // A tab that cannot keep its secret stays, because it could not finish on the way back.
    const { page: blocked } = await browser.open('about:blank');
    await blocked.addInitScript(() =>
      Object.defineProperty(window, 'sessionStorage', {
        get: () => {
          throw new DOMException('blocked', 'SecurityError');
        },
      }),
    );
    await blocked.goto(`${originOf(desk)}/#/sign-in`);
    await blocked.getByLabel('Workspace ID').fill(desk.workspace);
    await blocked.getByRole('button', { name: 'Continue with single sign-on' }).click();
    await blocked.getByRole('alert').getByText('Your browser blocks storage for this page.').waitFor();
    expect(blocked.url()).toBe(`${originOf(desk)}/#/sign-in`);

    // Somebody else's sign-in, finished up to its code, in a tab that did not begin it.
    const query = new URLSearchParams({ workspace: desk.workspace, challenge: 'A'.repeat(43) });
    const started = await fetch(`${desk.url}/v1/sessions/oidc/start?${query}`, { redirect: 'manual' });
    const planted = await browse(started.headers.get('location')!, callback);
    const other = await browser.open(planted);
    await other.page.getByText('This tab did not begin a sign-in').waitFor();
    expect(await other.page.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
  } finally {
    await Promise.all([desk.stop(), provider.stop()]);
  }
});

async function giveRoles(id: string, roles: readonly string[]): Promise<void> {
  const patch = { method: 'PATCH', key: service.ownerKey, json: { roles } };
  const { status, text } = await ask(`${service.url}/v1/people/${id}`, patch);
  expect(status, text).toBe(200);
}
