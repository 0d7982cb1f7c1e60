import { beforeAll, expect, test } from 'vitest';
import { ask } from '../../service/test/ask.ts';
import { examine, saved } from './harness.ts';
import { opened, service, useOwnConsole } from './own-console.ts';
import { type SeedClock, seed } from './seed.ts';

useOwnConsole();

const clock: SeedClock = { nowMs: 0 };

beforeAll(async () => {
  // The service of this file has the system clock, so everything is of today.
  await seed(service, clock, 60, 'now');
}, 60_000);

test('the overview shows open reviews, outcomes, and what needs attention', async () => {
  const { page } = await opened('/overview');
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  await page.getByText('Key expires').waitFor();
  await page.getByRole('link', { name: 'hris-job-title' }).waitFor();
  await page.getByText('Ready: responds and records').waitFor();
  const attention = page.locator('.attention li');
  await attention.filter({ hasText: '6 live keys may check writes to any system' }).waitFor();
  // Every agent of this file is new, so nothing is usual for it.
  expect(await attention.filter({ hasText: 'More pauses' }).count()).toBe(0);
  expect(await page.locator('.facts').filter({ hasText: 'Last check' }).textContent()).toMatch(
    /ago|just now/,
  );
  await page
    .getByRole('table', { name: 'Agents with stopped writes, last 24 hours' })
    .getByRole('link', { name: 'ap-bot' })
    .waitFor();
  await examine(page, 'overview-filled');
  // From there a key without limits is replaced by one with limits.
  await attention.getByRole('link', { name: '6 live keys' }).click();
  await page.getByRole('button', { name: /^Limit ap-bot/ }).click();
  const sheet = page.getByRole('dialog', { name: 'Replace it with a limited key' });
  expect(await sheet.getByLabel('Name').inputValue()).toBe('ap-bot');
  expect(await sheet.getByRole('radio', { name: /live/ }).isChecked()).toBe(true);
  await page.keyboard.press('Escape');
});

test('a review that is about to expire is the first thing that needs attention', async () => {
  const { page } = await opened('/keys');
  await page.route('**/v1/reviews?state=open&limit=20', async (route) => {
    const response = await route.fetch();
    const listed = await response.json();
    listed.reviews[0].expiresAt = new Date(Date.now() + 600_000).toISOString();
    await route.fulfill({ response, json: listed });
  });
  await page.goto(`${service.url}/#/overview`);
  await page.getByText('Key expires').waitFor();
  const first = page.locator('.attention li').first();
  await first.getByRole('link', { name: '1 open review expires' }).waitFor();
});

test('an agent’s page says why its writes were stopped, and leads to them', async () => {
  const { page } = await opened('/overview');
  await page.getByRole('link', { name: 'ap-bot' }).last().click();
  await page.getByRole('heading', { name: 'Why writes were stopped' }).waitFor();
  const why = page.getByRole('region', { name: 'Why writes were stopped' }).getByRole('listitem');
  const [, label, count] = /^(.*?)(\d+)$/.exec((await why.first().textContent())!)!;
  expect(label).toBe('Approval or check missing');
  await page.getByRole('img', { name: /^Since \d+ \w+, UTC days: \d+ allowed, [1-9]\d* paused/ }).waitFor();
  await page
    .getByRole('region', { name: 'Controls and limits that stopped them' })
    .getByRole('link', { name: 'approval' })
    .waitFor();
  await examine(page, 'agent');
  await page.getByRole('link', { name: 'Search them' }).click();
  await page.getByRole('button', { name: 'Remove filter Agent' }).waitFor();
  await page.getByRole('link', { name: 'Agents', exact: true }).click();
  const agents = page.getByRole('table', { name: /^Agents. Since \d+ \w+, UTC days/ });
  await agents.waitFor();
  await examine(page, 'agents');
  // The list, the agent's page and the decisions behind both count the same writes.
  const reason = agents.getByRole('row', { name: /ap-bot/ }).getByRole('link', { name: /check missing/ });
  expect(await reason.textContent()).toBe(`Approval or check missing ${count}`);
  await reason.click();
  await page.getByRole('img', { name: new RegExp(`\\b${count} paused`) }).waitFor();
});

test('a signed approval shows its key and that it is used up', async () => {
  const { body } = await ask(`${service.url}/v1/decisions?decision=allow&system=erp&limit=1`, {
    key: service.ownerKey,
  });
  const { page } = await opened(`/decisions/${body.decisions[0].decision_id}`);
  await page.getByText('Signed with key').waitFor();
  await page.getByText('Used up by this decision.', { exact: false }).waitFor();
  await page.getByText('Claimed by the caller; not signed.').waitFor();
  // The age of evidence is that at the decision, however long ago that is.
  expect(await page.locator('.picture').textContent()).toMatch(/4 min old then · limit 10 min/);
  await page.getByRole('link', { name: /Revision \d/ }).waitFor();
  await page.getByText('still in today’s log', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Pin this key' }).click();
  await page.getByText('Key pinned in this browser').waitFor();
  await page.getByText('verified in this browser').waitFor();
  const pack = JSON.parse(await saved(page, 'Download evidence pack'));
  expect(pack).toMatchObject({
    version: 'writecheck.console-pack.v1',
    receipt: { index: expect.any(Number) },
  });
  expect(pack.changes).toContainEqual(
    expect.objectContaining({ event: 'policy.applied', actor_kind: 'key', subject: expect.any(String) }),
  );
  await examine(page, 'decision-signed', 'variation');
  await page.emulateMedia({ media: 'print' });
  for (const screenOnly of [page.getByRole('navigation', { name: 'Pages' }), page.locator('.copy').first()])
    expect(await screenOnly.isVisible()).toBe(false);
  await page.getByText('still in today’s log', { exact: false }).waitFor();
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  await page.getByText(/ · printed \d{4}-\d\d-\d\d \d\d:\d\d UTC by an owner key · http/).waitFor();
  await page.emulateMedia({ media: null });
  await page.getByRole('button', { name: 'Unpin' }).click();
});

test('for a look-alike value the page never advises to change the source of record', async () => {
  const { body } = await ask(`${service.url}/v1/decisions?decision=block&system=erp&limit=1`, {
    key: service.ownerKey,
  });
  const { page } = await opened(`/decisions/${body.decisions[0].decision_id}`);
  await page.getByText('This looks like an attempt to pass off another value.').waitFor();
  await page.getByText('Do not change vendor-master', { exact: false }).waitFor();
  // The folded JSON keeps the service's own words.
  expect(await page.locator('main').innerText()).not.toMatch(/authority corrected|correct.{0,20}source/);
});

test('the audit log, evidence sources and revisions can be read and exported', async () => {
  const { page } = await opened('/audit');
  const applied = page.getByRole('row', { name: /Applied policy revision 2/ });
  await applied.getByText(/^tightens \d+, loosens \d+/).waitFor();
  expect(await applied.getByRole('link').getAttribute('href')).toBe('#/policies/revisions?from=1&show=2');
  await page.locator('tr.group', { hasText: 'Today' }).waitFor();
  // The page opens with its answer; the checkpoint and the key stand behind it.
  await page.getByText('verified in this browser').waitFor();
  await page.getByText('not pinned yet', { exact: false }).waitFor();
  expect(await page.getByText('Key published by this service').isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Pin …' }).click();
  await page.getByRole('button', { name: 'Pin this key' }).click();
  await page.getByText('against your pinned key').waitFor();
  // The first keys were there before the log.
  const first = page.getByRole('row', { name: /Created the owner key/ }).last();
  expect(await first.getByRole('button', { name: 'Show entry' }).count()).toBe(0);
  await page.getByLabel('When').selectOption('Chosen days');
  await page.getByLabel('To', { exact: true }).fill('2020-01-01');
  await page.getByText('No matches.').waitFor();
  await page.getByLabel('When').selectOption('Any time');
  await applied.getByRole('button', { name: 'Show entry' }).click();
  const sheet = page.getByRole('dialog', { name: 'In the log' });
  await sheet.getByText('Entry (JSON)').click();
  await sheet.getByText('"revision": 2').waitFor();
  await sheet.getByText('verified in this browser').waitFor();
  await examine(page, 'audit-entry', 'variation');
  await page.keyboard.press('Escape');
  expect((await saved(page, 'Export NDJSON')).split('\n').length).toBeGreaterThan(60);
  const [head, ...rows] = (await saved(page, 'Export CSV')).trim().split('\r\n');
  expect(head).toBe('at,event,actor_kind,actor_id,actor_name,signed,subject,amount,currency,reason');
  expect(rows.filter((row) => /^[^,]+,policy\.applied,key,key_/.test(row))).toHaveLength(2);
  await page.getByRole('combobox', { name: 'Who' }).selectOption('Owner key');
  await examine(page, 'audit');
  await page.getByRole('link', { name: 'Evidence sources' }).click();
  await page.getByRole('heading', { name: 'approval-desk' }).waitFor();
  await page.getByText('desk-2026-11').waitFor();
  await examine(page, 'evidence-sources');
  await page.getByRole('link', { name: 'Revisions', exact: true }).click();
  await page.getByText('maxAge: 10m').waitFor();
  await examine(page, 'revisions-compared', 'variation');
  await page.getByLabel('From').selectOption('2');
  await page.getByText('The two are the same.').waitFor();
});

test('a webhook is added, tested and deleted, and its secret is shown once', async () => {
  const { page } = await opened('/webhooks');
  await page.getByText('No webhooks').waitFor();
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  // A refused URL is reported at its field, once, and the field has the focus.
  const url = page.getByLabel('URL');
  await url.fill('ftp://hooks.example.com/in');
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await page.locator('label', { has: url }).getByRole('alert').waitFor();
  await expect.poll(() => url.evaluate((field) => field === document.activeElement)).toBe(true);
  expect(await page.getByRole('alert').count()).toBe(1);
  await url.fill('https://hooks.example.com/in');
  await page.getByRole('button', { name: 'Add webhook' }).click();
  const secret = await page.getByText(/^whsec_/).textContent();
  await examine(page, 'webhooks');
  await page.getByRole('button', { name: 'I’ve saved it' }).click();
  expect(await page.content()).not.toContain(secret);
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/v1/webhooks/*/test', async (route) => {
    await held;
    await route.continue();
  });
  const once = ['Send a test', 'Disable', 'Rotate secret'].map((name) => page.getByRole('button', { name }));
  await once[0]!.click();
  for (const button of once) await expect.poll(() => button.isDisabled()).toBe(true);
  answer();
  for (const button of once) await expect.poll(() => button.isEnabled()).toBe(true);
  await page.getByText('Deliveries').click();
  await page
    .getByRole('table', { name: /Deliveries/ })
    .getByText('test')
    .first()
    .waitFor();
  await examine(page, 'webhook-deliveries', 'variation');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No webhooks').waitFor();
});

test('an owner invites a person, sees the link once, and disables them', async () => {
  const { page } = await opened('/people');
  await page.getByText('Nobody yet').waitFor();
  await page.getByRole('button', { name: 'Invite a person' }).click();
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await page.getByLabel('Name (required)').fill('Ada');
  await page.getByRole('button', { name: 'Create invitation' }).click();
  const link = (await page.locator('.once code').textContent())!;
  await examine(page, 'people');
  await page.reload();
  await page.route('**/v1/people/*', (route) =>
    route.fulfill({ status: 503, json: { error: { code: 'overloaded', message: 'try again' } } }),
  );
  await page.getByLabel('Actions for Ada').click();
  await page.getByRole('button', { name: 'Change …' }).click();
  const change = page.getByRole('dialog', { name: 'Change Ada' });
  await change.getByLabel('Name (required)').fill('Ada Lovelace');
  await change.getByRole('button', { name: 'Change' }).click();
  await change.getByRole('alert').getByText('Try again.').waitFor();
  expect(await change.getByLabel('Name (required)').inputValue()).toBe('Ada Lovelace');
  await page.unroute('**/v1/people/*');
  await change.getByRole('button', { name: 'Change' }).click();
  await change.waitFor({ state: 'detached' });
  await page.getByLabel('Actions for Ada Lovelace').click();
  await page.getByRole('button', { name: 'Disable …' }).click();
  expect(await page.content()).not.toContain(link);
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await page.getByText('disabled').waitFor();
});
