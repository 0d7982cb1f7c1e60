/** Decisions in the console: the live list, what waits for a person, one decision to the bottom, and its receipt. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALLOWED, ask, check, PAUSED } from '../../service/test/ask.ts';
import {
  examine,
  type Page,
  signIn,
  startBrowser,
  startTestService,
  type TestBrowser,
  type TestService,
} from './harness.ts';

let service: TestService;
let browser: TestBrowser;

const MISMATCH = {
  system: 'erp',
  objectType: 'vendor',
  objectRef: 'V-1001',
  field: 'payee',
  operation: 'vendor.update',
  workflowId: 'vendor-onboarding',
  runId: 'run-77',
  agentValue: 'P\u0430yroll\u200B GmbH\u00A0',
  authorityValue: 'Payroll GmbH',
  authoritySource: 'vendor-master',
  authorityFound: true,
};

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), startBrowser()]);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await service.stop();
});

async function opened(path: string) {
  const { page, complaints } = await browser.open(`${service.url}/#/sign-in`);
  await signIn(page, service, path);
  return { page, complaints };
}

const lines = (page: Page) => page.getByRole('table').last().locator('tbody tr');

test('an empty list says what to do, and fills by itself', async () => {
  const { page, complaints } = await opened('/decisions');
  await page.getByText('Nothing here').waitFor();
  for (let at = 0; at < 8; at += 1)
    await check(service, { ...ALLOWED, objectRef: `C-${at}`, runId: 'run-1' });
  await check(service, PAUSED);
  await check(service, MISMATCH, { key: service.liveKey });
  await lines(page).nth(9).waitFor();
  await page.getByRole('img', { name: /8 allowed, 2 paused/ }).waitFor();
  await examine(page, 'decisions');
  expect(complaints).toEqual([]);
  await page.close();
});

test('filters narrow the list, stand in the address, and are taken away', async () => {
  const { page } = await opened('/decisions');
  await page.getByLabel('Run', { exact: true }).fill('run-77');
  await expect.poll(() => lines(page).count()).toBe(1);
  expect(page.url()).toContain('runId=run-77');
  await page.reload();
  await expect.poll(() => lines(page).count()).toBe(1);
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByLabel('Reason').selectOption('CONTROL_EVIDENCE_MISSING');
  await expect.poll(() => lines(page).count()).toBe(1);
  await page.getByRole('combobox', { name: 'Decision' }).selectOption('block');
  await page.getByText('Nothing here').waitFor();
  await page.getByText('As a table').click();
  await page
    .getByRole('table', { name: /over time/ })
    .getByRole('link')
    .first()
    .click();
  await expect.poll(() => page.url()).toContain('from=');
  await page.close();
});

test('what waits for a person is listed oldest first, and is reached by the keyboard alone', async () => {
  const { page } = await opened('/waiting');
  await expect.poll(() => lines(page).count()).toBe(2);
  expect(await lines(page).first().textContent()).toContain('CONTROL_EVIDENCE_MISSING');
  await examine(page, 'waiting');
  await page.locator('#main').focus();
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement?.classList.contains('target'))) break;
  }
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /customer C-1/ }).waitFor();
  await page.close();
});

test('a decision shows what differs, what cannot be seen, and a receipt that verifies here', async () => {
  const { page, complaints } = await opened('/decisions');
  await page.getByRole('link', { name: /vendor V-1001/ }).click();
  await page.getByText('They look the same and are not').waitFor();
  for (const odd of ['U+0430', 'U+200B', 'U+00A0'])
    await page.getByRole('listitem').filter({ hasText: odd }).waitFor();
  await page.getByText('Cyrillic letter that looks like “a”').waitFor();
  await page.getByText('verified in this browser').waitFor();
  await page.getByText('the decision is pause, not allow').waitFor();
  await examine(page, 'decision');
  expect(complaints).toEqual([]);
  await page.close();
});

test('a receipt that was tampered with is told, and so is a decision that is not the one in the log', async () => {
  const { body } = await ask(`${service.url}/v1/decisions?decision=allow&limit=1`, { key: service.ownerKey });
  const id = body.decisions[0].decision_id;
  const { page } = await opened('/decisions');
  await page.route(`**/v1/decisions/${id}/receipt`, async (route) => {
    const receipt = await (await route.fetch()).json();
    await route.fulfill({ json: { ...receipt, index: receipt.index === 0 ? 1 : receipt.index - 1 } });
  });
  await page.goto(`${service.url}/#/decisions/${id}`);
  await page.getByText('does not verify').waitFor();
  await page.unroute(`**/v1/decisions/${id}/receipt`);
  await page.route(`**/v1/decisions/${id}`, async (route) => {
    const detail = await (await route.fetch()).json();
    await route.fulfill({ json: { ...detail, intent: { ...detail.intent, agentValue: 'forged' } } });
  });
  await page.reload();
  await page.getByText('does not verify').waitFor();
  await page.getByText('the write differs from the one that was decided on').waitFor();
  await page.close();
});

test('an unknown decision is told as such, and a list lives through the service going away', async () => {
  const { page } = await opened(`/decisions/dec_${'0'.repeat(32)}`);
  await page.getByRole('alert').getByText('There is no such decision in this workspace.').waitFor();
  await page.goto(`${service.url}/#/decisions`);
  await lines(page).first().waitFor();
  await page.context().setOffline(true);
  await page.getByText('The service does not answer.').waitFor();
  await page.getByRole('alert').waitFor();
  expect(await lines(page).count()).toBeGreaterThan(0);
  await page.context().setOffline(false);
  await page.getByText('The service does not answer.').waitFor({ state: 'detached' });
  await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  await page.close();
});
