/** Every main flow with the keyboard alone: Tab, Enter, Space, arrow keys and typing. */
import { expect, test } from 'vitest';
import { ALLOWED, ask, check, PAUSED, signUp } from '../../service/test/ask.ts';
import { invite, originOf } from '../../service/test/sign-in-kit.ts';
import { addAuthenticator, type Page } from './harness.ts';
import { applyPolicies, browser, reviewOf, service, useOwnConsole } from './own-console.ts';

useOwnConsole();

type Locator = ReturnType<Page['locator']>;

/** More stops than any page has. */
const STOPS_MAX = 150;

/** Moves the focus to an element with Tab, or back with Shift+Tab. */
async function reach(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let presses = 0; presses < STOPS_MAX; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${target} cannot be reached with ${key}`);
}

async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await reach(page, target);
  await page.keyboard.press(key);
}

async function type(page: Page, target: Locator, text: string): Promise<void> {
  await reach(page, target);
  await page.keyboard.type(text);
}

/** The navigation comes before the page, which has the focus on arrival. */
async function goTo(page: Page, name: string | RegExp): Promise<void> {
  await reach(page, page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }), 'Shift+Tab');
  await page.keyboard.press('Enter');
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true });

test('a reviewer joins, signs in, approves with a passkey and rejects with a comment', async () => {
  const made = await signUp(service, 'keyboard');
  const controls = { approval: { assurance: 'attested', review: { identity: 'passkey' } } };
  const documents = [
    { kind: 'ControlPack', id: 'pack', controls },
    { kind: 'Profile', id: 'crm', match: { system: 'crm' }, require: ['approval'] },
  ];
  await applyPolicies(documents, made.ownerKey);
  const own = { ...service, ownerKey: made.ownerKey };
  const { url } = await invite(own, { roles: ['reviewer'] });
  const { page } = await browser.open(`${originOf(service)}/`);
  await addAuthenticator(page);
  await page.goto(url);
  await press(page, button(page, 'Create a passkey'));
  await button(page, 'Sign out').waitFor();
  await reach(page, button(page, 'Sign out'), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.goto(`${originOf(service)}/#/sign-in`);
  await press(page, button(page, 'Use a passkey'));
  await button(page, 'Sign out').waitFor();

  // Opened after the passkey was registered; an older one could not be signed with it.
  for (const objectRef of ['C-1', 'C-2']) await reviewOf({ ...PAUSED, objectRef }, made.developmentKey);
  await goTo(page, /^Inbox/);
  await press(page, page.getByRole('link', { name: 'Change the e-mail address of customer C-1' }));
  // The verdict is two stops from the top of the page, once the page has read what speaks against an approval.
  await button(page, 'Approve …').and(page.locator(':enabled')).waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Skip to your verdict');
  await page.keyboard.press('Enter');
  expect(await focused()).toBe('Approve …');
  await page.keyboard.press('Enter');
  await press(page, inDialog(page, 'Sign, approve, next'));
  await page.getByRole('heading', { level: 1, name: /customer C-2/ }).waitFor();
  await press(page, button(page, 'Reject …'));
  // A common reason needs no typing.
  await press(page, inDialog(page, 'Wrong value.'));
  expect(await page.getByRole('dialog').getByLabel('Comment (required)').inputValue()).toBe('Wrong value.');
  await press(page, inDialog(page, 'Sign and reject'));
  await page.getByText('The agent may not make this write.', { exact: false }).waitFor();
  const { body } = await ask(`${service.url}/v1/reviews`, { key: made.ownerKey });
  const states = body.reviews.map(({ state }: { state: string }) => state).sort();
  expect(states).toEqual(['approved', 'rejected']);
});

test('an owner finds a decision, applies a policy, and manages people, keys, webhooks and the log', {
  tags: ['nightly'],
}, async () => {
  for (const objectRef of ['C-10', 'C-11', 'D-12']) await check(service, { ...ALLOWED, objectRef });
  await check(service, { ...PAUSED, objectRef: 'C-13' });
  const { page } = await browser.open(`${service.url}/#/decisions`);
  await type(page, page.getByLabel('Owner key'), service.ownerKey);
  await page.keyboard.press('Enter');
  await button(page, 'Sign out').waitFor();

  const rows = page.locator('.decisions tbody tr');
  await type(page, page.getByRole('combobox', { name: 'Search' }), 'c-1');
  await expect.poll(() => rows.count()).toBe(3);
  await reach(page, page.getByRole('combobox', { name: 'Outcome' }));
  // Allowed, then paused.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => rows.count()).toBe(1);
  await press(page, page.getByRole('link', { name: /customer C-13/ }));
  await page.getByRole('heading', { level: 1, name: /customer C-13/ }).waitFor();
  await press(page, page.getByText('Intent and response as JSON'), 'Space');
  await page.getByText('"decision_id"').first().waitFor();

  await goTo(page, 'Policies');
  const editor = page.getByRole('textbox', { name: 'Policy documents' });
  await reach(page, editor);
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\n---\nkind: Workflow\nid: more\n');
  await type(page, page.getByLabel('What changes, and why'), 'a workflow more');
  await page.getByText('all 3 pass').waitFor();
  await button(page, 'Apply').and(page.locator(':enabled')).waitFor();
  await press(page, button(page, 'Apply'));
  await page.getByText('Revision 1 is live since').waitFor();

  await goTo(page, 'People');
  await press(page, button(page, 'Invite a person'));
  await type(page, page.getByLabel('E-mail address'), 'ada@example.com');
  await type(page, page.getByLabel('Name (required)'), 'Ada');
  await press(page, page.getByRole('checkbox', { name: /^auditor/ }), 'Space');
  await press(page, button(page, 'Create invitation'));
  await page.getByRole('heading', { name: 'Send this link to Ada' }).waitFor();
  const { body: people } = await ask(`${service.url}/v1/people`, { key: service.ownerKey });
  expect(people.people[0].roles).toEqual(['reviewer', 'auditor']);

  await goTo(page, 'Keys');
  await page.getByRole('table', { name: 'Active keys' }).waitFor();
  await press(page, button(page, 'Create a key'));
  await reach(page, page.getByRole('radio', { name: /^development/ }));
  await page.keyboard.press('ArrowDown');
  await type(page, page.getByLabel('Name (required)'), 'crm agent');
  await press(page, button(page, 'Create key'));
  await page.getByText(/^wck_live_\w{38}$/).waitFor();
  await reach(page, button(page, 'I’ve saved it'), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await press(page, page.getByRole('button', { name: 'Revoke crm agent' }));
  await press(page, inDialog(page, 'Revoke'));
  await page.getByText('crm agent is revoked').waitFor();

  await goTo(page, 'Webhooks');
  await press(page, button(page, 'Add a webhook'));
  await type(page, page.getByLabel('URL'), 'https://hooks.example.com/writecheck');
  await press(page, page.getByRole('checkbox', { name: 'decision.blocked' }), 'Space');
  await press(page, button(page, 'Add webhook'));
  await page.getByRole('heading', { name: /hooks\.example\.com/ }).waitFor();

  await goTo(page, 'Audit log');
  const events = page.getByRole('table', { name: /^Changes to keys/ });
  for (const [what, by] of [
    ['Invited Ada', /Owner key/],
    ['Revoked the live key crm agent', /Owner key/],
    ['Applied policy revision 1: a workflow more', /Owner key/],
  ] as const)
    expect(await events.getByRole('row', { name: what }).last().textContent()).toMatch(by);
  const file = page.waitForEvent('download');
  await press(page, button(page, 'Export NDJSON'));
  expect((await file).suggestedFilename()).toBe('writecheck-export.ndjson');
});
