/** Keys, usage and observe mode. */
import { expect, test } from 'vitest';
import { ALLOWED, ask, check } from '../../service/test/ask.ts';
import { newMember } from '../../service/test/member-kit.ts';
import { examine, signIn } from './harness.ts';
import { applyPolicies, browser, opened, service, useOwnConsole } from './own-console.ts';

useOwnConsole();

test('a new key is shown once, works, and fails once it is revoked', async () => {
  const { page } = await opened('/keys');
  await page.getByRole('table', { name: 'Active keys' }).waitFor();
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('radio', { name: /^live/ }).check();
  await page.getByLabel('Name').fill('crm agent');
  await page.getByLabel(/Only these systems/).fill('crm, erp');
  await page.getByRole('button', { name: 'Create key' }).click();
  const secret = await page.getByText(/^wck_live_\w{38}$/).textContent();
  await page.getByRole('button', { name: 'Copy the key' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  expect((await check(service, ALLOWED, { key: secret! })).body.decision).toBe('allow');
  expect((await check(service, { ...ALLOWED, system: 'hr' }, { key: secret! })).status).toBe(403);
  await examine(page, 'keys');
  await page.getByRole('button', { name: 'I’ve saved it' }).click();
  await page.reload();
  await page.getByRole('button', { name: 'Revoke crm agent' }).waitFor();
  expect(await page.content()).not.toContain(secret);
  await page.getByRole('button', { name: 'Revoke crm agent' }).click();
  await page.getByText(/^It sent 1 check in the last 24 hours, and was last used/).waitFor();
  await examine(page, 'keys-revoke', 'variation');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('crm agent is revoked').waitFor();
  expect((await check(service, ALLOWED, { key: secret! })).body.error.code).toBe('key_revoked');
  await page.getByText('Revoked and expired (1)').click();
  await page.getByRole('table', { name: 'Revoked and expired keys' }).getByText('crm agent').waitFor();
});

test('an owner renames the workspace: here at once, elsewhere after a reload, and on record', async () => {
  const { page } = await opened('/keys');
  const { page: elsewhere } = await opened('/keys');
  await page.getByRole('button', { name: 'Rename the workspace' }).click();
  const sheet = page.getByRole('dialog', { name: 'Rename the workspace' });
  await sheet.getByLabel('Name').fill('  ');
  await page.keyboard.press('Enter');
  await sheet.getByRole('alert').waitFor();
  await sheet.getByLabel('Name').fill('Käse `& Co');
  await examine(page, 'rename-workspace');
  await sheet.getByRole('button', { name: 'Rename' }).click();
  const name = (at: typeof page) => at.locator('.workspace', { hasText: 'Käse `& Co' });
  await name(page).waitFor();
  expect(await sheet.count()).toBe(0);
  await page.reload();
  await name(page).waitFor();
  await elsewhere.reload();
  await name(elsewhere).waitFor();
  await page.goto(`${service.url}/#/audit`);
  const renamed = page.getByRole('row', { name: /Renamed the workspace to/ });
  await renamed.getByText('Käse').waitFor();
  await renamed.getByText('Owner key', { exact: false }).waitFor();
  await renamed.getByRole('button', { name: 'Show entry' }).click();
  await page.getByRole('dialog').getByText('In the log verified in this browser').waitFor();
  await Promise.all([page.close(), elsewhere.close()]);
  // Only owners may.
  const { token } = await newMember(service, ['auditor'], Date.now());
  const me = (await ask(`${service.url}/v1/me`, { key: token })).body;
  const signedIn = JSON.stringify({ secret: token, workspace: me.workspace, person: me.person });
  const { page: auditor } = await browser.open(`${service.url}/#/audit`, signedIn);
  await name(auditor).waitFor();
  expect(await auditor.getByRole('button', { name: 'Rename the workspace' }).count()).toBe(0);
});

test('a new secret stays until the user confirms it is saved', async () => {
  const { page } = await opened('/keys');
  const made = async (name: string) => {
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create key' }).click();
    const card = page.getByRole('region', { name: `Save this key now: ${name}` });
    return { card, secret: (await card.locator('code').textContent())! };
  };
  const [first, second] = [await made('first agent'), await made('second agent')];
  await page.getByRole('link', { name: 'Usage', exact: true }).click();
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  for (const { card, secret } of [first, second]) await card.getByText(secret).waitFor();
  const asked: string[] = [];
  page.on('dialog', async (dialog) => {
    asked.push(dialog.type());
    await dialog.dismiss();
  });
  const reload = () => page.evaluate(() => window.location.reload());
  await reload();
  await expect.poll(() => asked).toEqual(['beforeunload']);
  await first.card.getByRole('button', { name: 'I’ve saved it' }).click();
  await second.card.getByText(second.secret).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out').waitFor();
  expect(await page.content()).not.toContain(second.secret);
  await signIn(page, service, '/keys');
  await page.getByRole('table', { name: 'Active keys' }).waitFor();
  expect(await page.content()).not.toContain(second.secret);
});

test('the last owner key is not revoked, and the page says what to do', async () => {
  const { page } = await opened('/keys');
  const row = page.getByRole('row').filter({ hasText: 'this session' });
  await row.getByRole('button', { name: /^Revoke/ }).click();
  await page.getByText('will be signed out').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Create another owner key that does not expire, then revoke this one.').waitFor();
});

test('rotating your own owner key keeps you signed in with the new one', async () => {
  const { page } = await opened('/keys');
  const row = page.getByRole('row').filter({ hasText: 'this session' });
  await row.getByRole('button', { name: /^Rotate/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  await page.getByText('You are now signed in with it.').waitFor();
  const secret = await page.getByText(/^wck_own_\w{38}$/).textContent();
  const old = await ask(`${service.url}/v1/keys`, { key: service.ownerKey });
  expect(old.body.error.code).toBe('key_expired');
  await page.reload();
  await row.waitFor();
  await page.close();
  Object.assign(service, { ownerKey: secret });
});

test('usage shows the limit, the days and the keys', async () => {
  for (let at = 0; at < 3; at += 1) await check(service, ALLOWED);
  const { page } = await opened('/usage');
  await page.getByText('3 of 1,000').waitFor();
  const keys = page.getByRole('table', { name: /Checks by key/ });
  expect(await keys.getByRole('row', { name: /development/ }).textContent()).toContain('3');
  await page.getByText('As a table').click();
  await page
    .getByRole('table', { name: /Checks by day/ })
    .getByRole('cell', { name: '4' })
    .waitFor();
  await examine(page, 'usage');
  await page.getByRole('combobox', { name: 'Month' }).selectOption({ index: 1 });
  await page.getByText('No checks in').waitFor();
});

test('policies in observe mode are listed with the decisions they would change', async () => {
  const { page } = await opened('/observe');
  await page.getByText('No policy yet.', { exact: false }).waitFor();
  const documents = [
    { kind: 'Profile', id: 'email-owner', version: '2', match: { system: 'crm' }, require: ['dual'] },
  ].map((document) => ({ ...document, writePolicy: 'observe', observeUntil: '2100-01-01T00:00:00Z' }));
  await applyPolicies(documents);
  const intent = { system: 'crm', objectType: 'customer', objectRef: 'C-9', field: 'email', agentValue: 'x' };
  const authority = { authorityFound: true, authorityValue: 'x', authoritySource: 'mdm' };
  const { body } = await check(service, { ...intent, ...authority });
  expect([body.decision, body.evaluatedDecision]).toEqual(['allow', 'pause']);
  await page.reload();
  const observers = page.getByRole('table', { name: /Policies in observe mode/ });
  await observers
    .getByRole('row', { name: /email-owner/ })
    .getByText('1 decision in 30 days')
    .waitFor();
  await page
    .getByRole('table', { name: /would change if enforced/ })
    .getByText('would pause')
    .waitFor();
  await page.getByRole('heading', { name: 'Would change if enforced 1 of 5 decisions in 30 days' }).waitFor();
  await examine(page, 'observe');
});

test('a page that loses the service says so, and loads once it is back', { tags: ['nightly'] }, async () => {
  const { page } = await opened('/keys');
  await page.getByRole('table', { name: 'Active keys' }).waitFor();
  await page.context().setOffline(true);
  await page.evaluate(() => {
    window.location.hash = '#/usage';
  });
  await page.getByText('Can’t reach the service.').waitFor();
  await page.context().setOffline(false);
  await page.getByText('Development checks').waitFor();
});
