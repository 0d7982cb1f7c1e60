/** Freezes in the console: the button on every page, the banner, what was stopped, and the lift. */
import type { Role } from '@writecheck/contract';
import { afterEach, expect, test } from 'vitest';
import { ALLOWED, ask, check } from '../../service/test/ask.ts';
import { newMember } from '../../service/test/member-kit.ts';
import { examine, type Page } from './harness.ts';
import { browser, opened, service, useOwnConsole } from './own-console.ts';

useOwnConsole();

async function decisionOf(intent: object) {
  return (await check(service, intent)).body;
}

async function freezes(state = 'active') {
  return (await ask(`${service.url}/v1/freezes?state=${state}`, { key: service.ownerKey })).body.freezes;
}

afterEach(async () => {
  for (const { id } of await freezes())
    await ask(`${service.url}/v1/freezes/${id}/lift`, { key: service.ownerKey, json: { reason: 'the end' } });
});

test('the form closes with the page that it was opened on', async () => {
  const { page } = await opened('/usage');
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Freeze writes' }).click();
  const form = page.getByRole('dialog', { name: 'Freeze writes' });
  await form.waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
  await form.waitFor({ state: 'detached' });
});

test('the button stops exactly what it says, and shows what it stopped', async () => {
  expect((await decisionOf(ALLOWED)).decision).toBe('allow');
  expect((await decisionOf({ ...ALLOWED, system: 'hr' })).decision).toBe('allow');
  const { page } = await opened('/usage');
  await page.getByRole('button', { name: 'Freeze writes' }).click();
  const form = page.getByRole('dialog', { name: 'Freeze writes' });
  await form.getByText('Fill in at least one field.').waitFor();
  expect(await form.getByRole('button', { name: 'Freeze now' }).isDisabled()).toBe(true);
  await form.getByLabel('System').fill('crm');
  await form.getByLabel('Field').fill('em*, phone');
  await form.getByText('Writes to crm of the field em* or phone', { exact: false }).waitFor();
  await form
    .getByText('Writes that don’t name their system or field stop too, if the rest matches.', {
      exact: false,
    })
    .waitFor();
  await form.getByText('Of the 2 newest checks of the last 24 hours, it matches 1.').waitFor();
  await form.getByLabel('Reason').fill('the agent overwrites addresses');
  await examine(page, 'freeze-form');
  expect(await freezes()).toEqual([]);
  await form.getByRole('button', { name: 'Freeze now' }).click();
  const done = page.getByRole('dialog', { name: 'Frozen' });
  await done.getByText('1 write', { exact: false }).waitFor();
  await done.getByText('One may still happen until', { exact: false }).waitFor();
  expect(await freezes()).toMatchObject([
    { scope: { system: 'crm', field: ['em*', 'phone'] }, reason: 'the agent overwrites addresses' },
  ]);
  expect(await decisionOf(ALLOWED)).toMatchObject({ decision: 'pause', reason_code: 'frozen' });
  expect((await decisionOf({ ...ALLOWED, system: 'hr' })).decision).toBe('allow');
  await done.getByRole('link', { name: '1 check' }).waitFor();
  await done.getByRole('button', { name: 'Close' }).click();
  // The page behind it stayed.
  await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
  await page.getByText('Frozen: writes to crm of the field em* or phone.').waitFor();
  await page.getByRole('link', { name: 'Show it' }).click();
  await page
    .getByRole('table', { name: /the freeze stopped/ })
    .getByText('C-1')
    .waitFor();
  await examine(page, 'freeze');
});

test('an owner lifts a freeze with a reason; it moves to the past, and writes go on', async () => {
  for (const system of ['crm', 'erp', 'hr'])
    await ask(`${service.url}/v1/freezes`, {
      key: service.ownerKey,
      json: { reason: `${system} is down`, scope: { system } },
    });
  const { page } = await opened('/freezes');
  await page.getByText('3 freezes are active.').waitFor();
  const card = page.getByRole('article', { name: 'Writes to crm' });
  await card.getByRole('button', { name: 'Lift …' }).click();
  const lift = page.getByRole('dialog', { name: 'Lift this freeze?' });
  await lift.getByRole('button', { name: 'Lift the freeze' }).click();
  await lift.getByText('Say why. Lifting a freeze needs a reason.').waitFor();
  await lift.getByLabel('Why it is safe again').fill('crm is up');
  await lift.getByRole('button', { name: 'Lift the freeze' }).click();
  await page
    .getByRole('table', { name: /Past freezes/ })
    .getByText('crm is down')
    .waitFor();
  await page
    .getByRole('table', { name: /Past freezes/ })
    .getByText('crm is up')
    .waitFor();
  expect((await decisionOf(ALLOWED)).decision).toBe('allow');
  await examine(page, 'freezes');
  await page.getByRole('button', { name: /Lift all 2 by/ }).click();
  await page.getByLabel('Why it is safe again').fill('both are up');
  await page.getByRole('dialog').getByRole('button', { name: 'Lift all 2' }).click();
  await page.getByText('Nothing is frozen').waitFor();
  await page.getByText('freezes are active.').waitFor({ state: 'detached' });
  expect(await freezes()).toEqual([]);
  expect(await freezes('all')).toMatchObject([{}, {}, { liftReason: 'crm is up' }, {}]);
});

test('a response that is lost freezes once, however often the button is pressed', async () => {
  const { page } = await opened('/overview');
  await page.getByRole('button', { name: 'Freeze writes' }).click();
  const form = page.getByRole('dialog', { name: 'Freeze writes' });
  await form.getByLabel('Every write of this workspace').check();
  await form.getByText('Every write of this workspace.', { exact: false }).waitFor();
  await form.getByLabel('Reason').fill('everything is on fire');
  // It ends an hour after the first press, whenever the second is.
  await form.getByLabel('For how long').selectOption('1');
  let isLost = true;
  await page.route('**/v1/freezes', async (route) => {
    if (route.request().method() !== 'POST' || !isLost) return route.continue();
    isLost = false;
    await route.fetch();
    return route.abort();
  });
  await form.getByRole('button', { name: 'Freeze now' }).click();
  await form.getByText('it can’t freeze twice', { exact: false }).waitFor();
  await form.getByRole('button', { name: 'Freeze now' }).click();
  await page.getByRole('dialog', { name: 'Frozen' }).getByRole('link', { name: 'Show the freeze' }).click();
  const active = await freezes();
  expect(active).toHaveLength(1);
  await page.getByRole('button', { name: 'Lift the freeze …' }).click();
  await page.getByLabel('Why it is safe again').fill('a drill');
  await page.keyboard.press('Control+Enter');
  await page.getByText('a drill').waitFor();
  expect(await freezes()).toEqual([]);
});

test('the form starts with what the page shows, and errors stand at their field', async () => {
  const { body } = await ask(`${service.url}/v1/keys`, { key: service.ownerKey });
  const agent = body.keys.find(({ kind }: { kind: string }) => kind === 'development');
  const { page } = await opened(`/agents/${agent.id}`);
  await page.getByRole('heading', { name: agent.name }).waitFor();
  await page.getByRole('button', { name: 'Freeze writes' }).click();
  const form = page.getByRole('dialog', { name: 'Freeze writes' });
  await form.getByText(`Writes by ${agent.name}`, { exact: false }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: `Freeze ${agent.name} …` }).click();
  await form.getByText(`Writes by ${agent.name}`, { exact: false }).waitFor();
  // What to stop is known, so the reason is next; without one the page says so itself.
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
  await form.getByRole('button', { name: 'Freeze now' }).click();
  await form.getByRole('alert').getByText('Fill in “Reason”.').waitFor();
  await form.getByLabel('Operation').fill('x'.repeat(300));
  await form.getByLabel('Reason').fill('too long a name');
  await form.getByRole('button', { name: 'Freeze now' }).click();
  await form.getByRole('group', { name: 'Which writes' }).getByRole('alert').getByText('256').waitFor();
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });
  const { decision_id: id } = await decisionOf(ALLOWED);
  await page.goto(`${service.url}/#/decisions/${id}`);
  // Nothing is wrong with it, so the freeze waits in a menu.
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: `Freeze e-mail address changes by ${agent.name} …` }).click();
  await form.getByText(`Writes to crm of the field email by ${agent.name}`, { exact: false }).waitFor();
});

test('a reviewer can freeze for a day at most and lift nothing; an auditor is offered neither', async () => {
  const page = await openedAs(['reviewer'], '/freezes');
  await page.getByRole('main').getByRole('button', { name: 'Freeze writes' }).click();
  const form = page.getByRole('dialog', { name: 'Freeze writes' });
  await form.getByText('Only an owner can lift it.', { exact: false }).waitFor();
  const lengths = await form.getByLabel('For how long').locator('option').allTextContents();
  expect(lengths).toEqual(['1 hour', '4 hours', '24 hours']);
  await form.getByLabel('System').fill('crm');
  await form.getByLabel('Reason').fill('seen by a reviewer');
  await form.getByRole('button', { name: 'Freeze now' }).click();
  await page.getByRole('dialog', { name: 'Frozen' }).getByRole('button', { name: 'Close' }).click();
  await page.getByText('Frozen: writes to crm.').waitFor();
  await page.getByRole('heading', { name: 'Writes to crm' }).waitFor();
  expect(await page.getByRole('button', { name: /^Lift/ }).count()).toBe(0);
  await page.close();
  const reader = await openedAs(['auditor'], '/freezes');
  await reader.getByRole('heading', { name: 'Writes to crm' }).waitFor();
  expect(await reader.getByRole('button', { name: /^(Lift|Freeze)/ }).count()).toBe(0);
});

test('the page of a frozen agent says since when, and never that it is usable', async () => {
  const { body } = await ask(`${service.url}/v1/keys`, { key: service.ownerKey });
  const agent = body.keys.find(({ kind }: { kind: string }) => kind === 'development');
  const json = { scope: { keyId: agent.id }, reason: 'a drill' };
  expect((await ask(`${service.url}/v1/freezes`, { key: service.ownerKey, json })).status).toBe(201);
  const { page } = await opened(`/agents/${agent.id}`);
  const facts = page.locator('.facts').first();
  await facts.getByText('frozen since').waitFor();
  expect(await facts.textContent()).not.toContain('usable');
  expect(
    await page
      .getByRole('main')
      .getByRole('button', { name: /^Freeze / })
      .count(),
  ).toBe(0);
  await page.getByRole('link', { name: 'Lift the freeze …' }).click();
  await page.getByRole('button', { name: 'Lift the freeze …' }).waitFor();
});

async function openedAs(roles: readonly Role[], path: string): Promise<Page> {
  const { id, email, token } = await newMember(service, roles, Date.now());
  const person = { id, email, name: 'Ada', roles, groups: [] };
  const session = { secret: token, workspace: { id: service.workspace, name: 'default' }, person };
  const { page } = await browser.open(`${service.url}/#/sign-in`);
  await page.evaluate(
    (kept) =>
      sessionStorage.setItem('writecheck.session', JSON.stringify({ ...kept, activeAtMs: Date.now() })),
    session,
  );
  await page.goto(`${service.url}/#${path}`);
  await page.reload();
  return page;
}
