/** The self-serve start: from an empty database to a workspace, its keys and a first decision. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ask, signUp } from '../../service/test/ask.ts';
import { FIRST_BUNDLE } from '../src/pages/policies/first-bundle.ts';
import { examine, startTestService } from './harness.ts';
import { browser, opened, service, useOwnConsole } from './own-console.ts';

useOwnConsole();

test('creating a workspace shows its keys once, and the command and the button both get a decision', async () => {
  const { page } = await browser.open(service.url);
  await page.getByRole('heading', { name: 'Create a workspace' }).waitFor();
  await page.getByText('The first start already created a workspace', { exact: false }).waitFor();
  await page.getByText('npm start -- --demo').waitFor();
  await examine(page, 'start-empty');
  await page.getByLabel('Name').fill(`wck_own_${'a'.repeat(38)}`);
  await page.getByRole('alert').getByText('This is a key, and a name is not secret.').waitFor();
  expect(await page.getByRole('button', { name: 'Create workspace' }).isDisabled()).toBe(true);
  await examine(page, 'start-key-as-name', 'variation');
  await page.getByLabel('Name').fill('Accounts payable');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Accounts payable' }).waitFor();

  const text = (await page.locator('main').textContent()) ?? '';
  const ownerKey = /wck_own_\w{38}/.exec(text)?.[0] ?? '';
  const developmentKey = /wck_dev_\w{38}/.exec(text)?.[0] ?? '';
  await page.getByRole('button', { name: 'Copy owner key' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(ownerKey);
  await page.getByRole('button', { name: 'Copy command' }).click();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  const pasted = JSON.parse((await promisify(execFile)('sh', ['-c', command])).stdout);
  expect(pasted).toMatchObject({ decision: 'allow', reason_code: 'requirements_met' });

  await page.getByRole('button', { name: 'Run it here' }).click();
  const picture = page.getByRole('figure');
  await picture.getByText('requirements_met').waitFor();
  await page.getByRole('button', { name: 'Run it without approval' }).click();
  await picture.getByText('CONTROL_EVIDENCE_MISSING').waitFor();
  expect(await picture.textContent()).toMatch(/approval\s*missing/);
  const recorded = /dec_[0-9a-f]{32}/.exec((await page.locator('main').textContent()) ?? '')?.[0];
  const stored = await fetch(`${service.url}/v1/decisions/${recorded}`, {
    headers: { authorization: `Bearer ${ownerKey}` },
  });
  expect(await stored.json()).toMatchObject({ response: { decision: 'pause' } });
  expect(developmentKey).not.toBe('');
  await page
    .getByText(
      'Paused: it needs valid evidence for approval. The request named its own controls; no policy applies yet.',
    )
    .waitFor();
  const applied = await ask(`${service.url}/v1/policies`, {
    method: 'PUT',
    key: ownerKey,
    headers: { 'content-type': 'application/yaml' },
    body: FIRST_BUNDLE,
  });
  expect(applied.status).toBe(200);
  await page.getByRole('button', { name: 'Run it here' }).click();
  await picture.getByText('authority_unverified').waitFor();
  await page
    .getByText(/an authoritative source with the same value.* Your profile customer-email applies too/)
    .waitFor();
  await examine(page, 'start-keys', 'variation');

  await page.getByRole('button', { name: 'I’ve saved both' }).click();
  await page.getByRole('heading', { name: 'Accounts payable' }).waitFor();
  await page.getByRole('heading', { name: /Set up 2 of 4 done/ }).waitFor();
  for (const step of ['Connect an agent', 'Approve a paused write'])
    await page.getByRole('link', { name: step }).waitFor();
  await page.getByRole('link', { name: 'tutorial' }).waitFor();
  await page.getByRole('link', { name: 'Open it', exact: true }).waitFor();
  expect(await page.content()).not.toContain(developmentKey);
  await examine(page, 'overview', 'variation');
  await page.getByRole('link', { name: 'Create another workspace' }).click();
  await page.getByRole('heading', { name: 'Create another workspace' }).waitFor();
  await examine(page, 'new-workspace');
});

test('a service key that only reads has not sent the first check', async () => {
  const json = { kind: 'service', name: 'ci', roles: ['auditor'] };
  const made = await ask(`${service.url}/v1/keys`, { key: service.ownerKey, json });
  expect((await ask(`${service.url}/v1/keys`, { key: made.body.secret })).status).toBe(200);
  const { page } = await opened('/overview');
  await page.getByRole('heading', { name: /Set up 0 of 4 done/ }).waitFor();
  expect(await page.getByRole('link', { name: 'Open reviews', exact: true }).count()).toBe(0);
});

test('the first step sends a write that pauses, and the second opens that write to approve it', async () => {
  const made = await signUp(service, 'first steps');
  const { page } = await browser.open(
    `${service.url}/#/decisions?decision=pause&time=all`,
    JSON.stringify({ secret: made.ownerKey, workspace: made.workspace }),
  );
  // Nothing offers the time that is chosen already.
  await page.getByRole('link', { name: 'Clear the filters' }).waitFor();
  expect(await page.getByRole('link', { name: 'search all time' }).count()).toBe(0);
  await page.goto(`${service.url}/#/overview`);
  await page.getByText('npm start -- --demo').waitFor();
  await page.getByText('After a check is paused.').waitFor();
  await page.getByRole('link', { name: 'Open the playground' }).click();
  await page.getByRole('figure').getByText('CONTROL_EVIDENCE_MISSING').first().waitFor();
  await page.getByRole('button', { name: /^Create a development key/ }).click();
  await page.getByRole('button', { name: /^Send/ }).click();
  await page
    .getByText(/dec_[0-9a-f]{32}/)
    .first()
    .waitFor();
  await page.goto(`${service.url}/#/overview`);
  await page.getByRole('heading', { name: /Set up 1 of 4 done/ }).waitFor();
  await page.getByRole('link', { name: 'Open it', exact: true }).click();
  await page.getByRole('button', { name: 'Open a review' }).click();
});

test('if sign-up is closed the page says so, and what to do', async () => {
  const closed = await startTestService({ settings: { signup: 'closed' } });
  try {
    const { page } = await browser.open(closed.url);
    await page.getByLabel('Name').fill('Mine');
    await page.getByRole('button', { name: 'Create workspace' }).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/sign-up is closed here.*sign in with its owner key/is);
    await page.close();
  } finally {
    await closed.stop();
  }
});
