import { expect, test } from 'vitest';
import { ALLOWED, ask, check, PAUSED, signUp } from '../../service/test/ask.ts';
import { examine, type Page, saved, signIn } from './harness.ts';
import { applyPolicies, browser, opened, service, useOwnConsole } from './own-console.ts';

useOwnConsole();

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

const lines = (page: Page) => page.getByRole('table').last().locator('tbody tr');

test('an empty list says what to do, and fills on its own', async () => {
  const { page } = await opened('/decisions');
  await page.getByText('No decisions in this time', { exact: true }).waitFor();
  for (let at = 0; at < 8; at += 1)
    await check(service, { ...ALLOWED, objectRef: `C-${at}`, runId: 'run-1' });
  await check(service, PAUSED);
  await check(service, MISMATCH, { key: service.liveKey });
  await lines(page).nth(9).waitFor();
  await page.getByRole('img', { name: /8 allowed, 2 paused/ }).waitFor();
  await examine(page, 'decisions');
});

test('a slow service gets one list request at a time', async () => {
  const { page } = await opened('/playground');
  let underWay = 0;
  const atOnce: number[] = [];
  await page.route('**/v1/decisions?**', async (route) => {
    underWay += 1;
    atOnce.push(underWay);
    await new Promise((resolve) => setTimeout(resolve, 2_300));
    underWay -= 1;
    await route.continue().catch(() => undefined);
  });
  await page.getByRole('link', { name: 'Decisions', exact: true }).click();
  await lines(page).nth(9).waitFor();
  expect(Math.max(...atOnce)).toBe(1);
});

test('filters are chips in the address, and can be removed', async () => {
  const { page } = await opened('/decisions');
  const search = page.getByLabel('Search');
  await search.fill('run:run-77');
  await page.keyboard.press('Enter');
  await expect.poll(() => lines(page).count()).toBe(1);
  expect(page.url()).toContain('runId=run-77');
  await page.getByRole('img', { name: /0 allowed, 1 paused/ }).waitFor();
  await page.reload();
  await lines(page).first().waitFor();
  await expect.poll(() => lines(page).count()).toBe(1);
  await page.getByRole('button', { name: 'Remove filter Run' }).click();
  await expect.poll(() => lines(page).count()).toBe(10);
  await page.getByLabel('Reason').selectOption('CONTROL_EVIDENCE_MISSING');
  await expect.poll(() => lines(page).count()).toBe(1);
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('block');
  await page.getByText('No matches').waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByText('As a table').click();
  await page
    .getByRole('table', { name: /over time/ })
    .getByRole('link')
    .first()
    .click();
  await expect.poll(() => page.url()).toContain('from=');
  await page.getByRole('button', { name: 'Remove filter Time' }).waitFor();
});

test('a time is chosen to the minute, and a trail leads back up', async () => {
  const { page } = await opened('/decisions');
  const time = page.getByRole('combobox', { name: 'Time' });
  await time.selectOption('between');
  const dialog = page.getByRole('dialog', { name: 'Choose a time' });
  await dialog.getByLabel(/^From/).fill('2026-03-02T09:14');
  await dialog.getByLabel(/^To/).fill('2026-03-02T09:10');
  await dialog.getByRole('button', { name: 'Show it' }).click();
  await dialog.getByRole('alert').getByText('“To” must be after “From”.').waitFor();
  await dialog.getByLabel(/^To/).fill('2026-03-02T09:20');
  await examine(page, 'decisions-time', 'variation');
  await dialog.getByRole('button', { name: 'Show it' }).click();
  const trail = page.getByRole('navigation', { name: 'Time' });
  await expect.poll(() => trail.textContent()).toMatch(/2 Mar( 2026)?09:00–10:0009:14–09:20$/);
  await page.getByText('No matches').waitFor();
  await trail.getByRole('link', { name: '09:00–10:00' }).click();
  await expect.poll(() => trail.textContent()).toMatch(/2 Mar( 2026)?09:00–10:00$/);
  await page.getByTitle('Change the time').click();
  expect(await dialog.getByLabel(/^From/).inputValue()).toBe('2026-03-02T09:00');
  await page.keyboard.press('Escape');
  await time.selectOption('yesterday');
  await expect.poll(() => time.inputValue()).toBe('yesterday');
  await trail.getByRole('link', { name: 'Last 7 days' }).click();
  await lines(page).first().waitFor();
  expect(await page.locator('.ticks span').count()).toBeGreaterThan(5);
  await page.goto(`${service.url}/#/decisions?from=nonsense&to=1`);
  await lines(page).first().waitFor();
});

test('a search finds any part of an object, an agent or a value, in any case', async () => {
  const { page } = await opened('/decisions');
  const search = page.getByLabel('Search');
  for (const [text, count] of [
    ['v-10', 1],
    ['ADA@EXAMPLE', 9],
    ['payroll gmbh', 1],
    ['development', 9],
    ['nothing like it', 0],
  ] as const) {
    await search.fill(text);
    await page
      .getByRole('status')
      .filter({ hasText: count === 1 ? '1 match' : `${count} matches` })
      .waitFor();
    expect(page.url()).toContain('q=');
    await expect.poll(() => page.locator('.decisions tbody tr').count()).toBe(count);
    if (count === 9) await page.getByRole('img', { name: /8 allowed, 1 paused/ }).waitFor();
  }
  await search.fill('');
  await expect.poll(() => lines(page).count()).toBe(10);
  // What may become a filter is not searched for, and a space after a filter applies it.
  await search.fill('amo');
  await page.getByText('searches for this word.').waitFor();
  await search.fill('agent:development ');
  await page.getByRole('button', { name: /^Remove filter Agent/ }).waitFor();
  await expect.poll(() => search.inputValue()).toBe('');
  expect(page.url()).not.toContain('q=');
});

test('a view is saved in this browser, and a list is exported', async () => {
  const { page } = await opened('/decisions?decision=pause');
  await expect.poll(() => lines(page).count()).toBe(2);
  await page.getByRole('button', { name: 'Save this view' }).click();
  await page.getByLabel('Name of the view').fill('Only paused');
  await page.keyboard.press('Enter');
  await examine(page, 'decisions-view', 'variation');
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect.poll(() => lines(page).count()).toBe(10);
  await page.getByRole('link', { name: 'Only paused' }).click();
  await expect.poll(() => lines(page).count()).toBe(2);
  expect((await saved(page, 'Export CSV')).trim().split('\r\n')).toHaveLength(3);
  const written = (await saved(page, 'NDJSON'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(written.map(({ decision }) => decision)).toEqual(['pause', 'pause']);
  await page.getByRole('button', { name: 'Remove the view Only paused' }).click();
});

test('going back leads to the same page of the list', async () => {
  const made = await signUp(service, 'many');
  for (let at = 0; at < 60; at += 1)
    await check(service, { ...ALLOWED, objectRef: `N-${at}` }, { key: made.developmentKey });
  const { page } = await opened('/decisions', { ...service, ownerKey: made.ownerKey });
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByText('Page 2').waitFor();
  await expect.poll(() => lines(page).count()).toBe(20);
  await page.getByRole('link', { name: /customer N-3$/ }).click();
  await page.getByRole('heading', { level: 1, name: /N-3/ }).waitFor();
  await page.locator('.back').getByRole('link', { name: 'Decisions' }).click();
  await page.getByText('Page 2').waitFor();
  await page.getByRole('link', { name: /customer N-3$/ }).waitFor();
});

test('paused writes are listed newest first, and the keyboard alone reaches them', async () => {
  const { page } = await opened('/decisions?decision=pause&time=all');
  await expect.poll(() => lines(page).count()).toBe(2);
  await lines(page).last().getByText('Needs approval').waitFor();
  const newest = await lines(page).first().locator('.target').textContent();
  await examine(page, 'waiting', 'variation');
  await page.locator('#main').focus();
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement?.classList.contains('target'))) break;
  }
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: newest! }).waitFor();
});

test('a decision shows differences, invisible characters, and a receipt that verifies', async () => {
  const { page } = await opened('/decisions');
  await page.getByRole('link', { name: /vendor V-1001/ }).click();
  await page.getByText('These look identical but are different.').waitFor();
  for (const odd of ['U+0430', 'U+200B', 'U+00A0'])
    await page.getByRole('listitem').filter({ hasText: odd }).waitFor();
  await page.getByText('Cyrillic letter that looks like “a”').waitFor();
  await page.getByText('verified in this browser').waitFor();
  expect(await page.getByText('Permits the write now').count()).toBe(0);
  const unverified = page.getByRole('listitem').filter({ hasText: 'Not covered by this receipt' });
  expect(await unverified.textContent()).toMatch(/reason text.*evaluation.*evidence/);
  await examine(page, 'decision');
});

test('the page reports a tampered receipt, and a decision that differs from the log', async () => {
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
  const forge = { keyId: 'key_forged', validUntil: '2099-01-01T00:00:00.000Z' };
  for (const member of ['keyId', 'validUntil'] as const) {
    await page.unroute(`**/v1/decisions/${id}`);
    await page.route(`**/v1/decisions/${id}`, async (route) => {
      const detail = await (await route.fetch()).json();
      const forged = { [member]: forge[member] };
      const json = member === 'keyId' ? { ...detail, ...forged } : detail;
      await route.fulfill({ json: { ...json, response: { ...detail.response, ...forged } } });
    });
    await page.reload();
    await page.getByText('the log differs from this page').waitFor();
  }
});

test('a text of sixteen thousand characters takes a few lines until expanded', async () => {
  const objectRef = `HUGE-${'x y'.repeat(5_000)}`;
  const long = 'z'.repeat(200);
  await check(service, { ...PAUSED, system: 'flood', objectRef, workflowId: long, runId: long });
  const { page } = await opened('/decisions?decision=pause&time=all&system=flood');
  await expect.poll(() => lines(page).count()).toBe(1);
  await page.getByText('15,014 characters').waitFor();
  const heightOf = async (what: string) => (await page.locator(what).boundingBox())!.height;
  expect(await heightOf('.decisions tbody tr')).toBeLessThan(180);
  await page.locator('.target').click();
  const heading = page.getByRole('heading', { level: 1 });
  const all = heading.getByRole('button', { name: 'show all 15,014 characters' });
  await all.waitFor();
  expect(await heightOf('h1')).toBeLessThan(150);
  await examine(page, 'decision-flooded', 'variation');
  await all.click();
  expect(await heading.textContent()).toContain(objectRef);
  await heading.getByRole('button', { name: 'show less' }).click();
  expect(await heightOf('h1')).toBeLessThan(150);
});

test('no page shows direction overrides or invisible characters unmarked', async () => {
  const turned = 'a\u202Egnp.exe\u202C';
  const made = await signUp(service, `Workspace ${turned}`);
  const documents = [{ kind: 'Profile', id: 'p', match: { system: turned }, require: ['identity'] }];
  await applyPolicies(documents, made.ownerKey);
  await ask(`${service.url}/v1/keys`, { key: made.ownerKey, json: { kind: 'live', name: `Key ${turned}` } });
  const names = { system: turned, objectType: turned, objectRef: turned, field: turned, operation: turned };
  const evidence = { controlId: 'identity', source: turned, result: turned, evidenceRef: turned };
  const intent = {
    ...names,
    ...{ workflowId: turned, runId: turned, agentValue: turned },
    ...{ authorityValue: `${turned}!`, authoritySource: turned, authorityFound: true },
    requiredControls: ['identity'],
    controlEvidence: [evidence],
  };
  const first = await check(service, intent, { key: made.developmentKey });
  const same = { ...intent, authorityValue: turned };
  const second = await check(service, same, { key: made.developmentKey });
  expect([first.status, second.status]).toEqual([200, 200]);
  const { page } = await opened('/decisions', { ...service, ownerKey: made.ownerKey });
  const shown = () => page.evaluate(() => document.documentElement.textContent ?? '');
  for (const [path, waitsFor] of [
    ['/decisions', '.decisions .odd'],
    ['/decisions?decision=pause&time=all', '.decisions .odd'],
    [`/decisions/${first.body.decision_id}`, '.brief .odd'],
    [`/decisions/${second.body.decision_id}`, '.brief .odd'],
    ['/keys', '.key-name .odd'],
    ['/overview', 'h1 .odd'],
  ] as const) {
    await page.goto(`${service.url}/#${path}`);
    await page.locator(`main ${waitsFor}`).first().waitFor();
    if (path.startsWith('/decisions/')) {
      await page.getByText('verified in this browser').waitFor();
      await page.locator('.control .odd').first().waitFor();
    }
    expect(await shown(), path).not.toMatch(/[\u202E\u202C]/);
    expect(await page.locator('header .odd').count()).toBe(2);
    expect(await page.locator('main .odd').count(), path).toBeGreaterThan(1);
  }
});

test('time ranges use the clock of the service, and paused writes are shown however old they are', async () => {
  const { page } = await browser.open('about:blank');
  // A minute more, because a busy machine takes a while to install it.
  await page.clock.install({ time: Date.now() + 10 * 86_400_000 + 60_000 });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await signIn(page, service, '/decisions');
  await lines(page).first().waitFor();
  await page.getByText('This computer’s clock is 10 d ahead of the service’s.', { exact: false }).waitFor();
  await page.getByRole('img', { name: /Last 7 days: [1-9]/ }).waitFor();
  await page.goto(`${service.url}/#/decisions?decision=pause&time=all`);
  expect(await page.getByRole('combobox', { name: 'Time' }).inputValue()).toBe('all');
  const lists = () => asked.filter((url) => url.includes('decision=pause') && url.includes('limit=40'));
  await expect.poll(() => lists().length).toBeGreaterThan(0);
  await lines(page).first().waitFor();
  expect(await lines(page).first().locator('.when').textContent()).not.toContain('d');
  expect(lists().filter((url) => url.includes('from='))).toEqual([]);
});

test('an object of the same name in another system is another object, and the page claims nothing before the list loads', async () => {
  const intent = { ...ALLOWED, objectRef: 'SAME-1' };
  await check(service, intent);
  await check(service, { ...intent, system: 'hr', objectType: 'leave' });
  const { body } = await check(service, { ...intent, system: 'hr' });
  const { page } = await opened('/decisions');
  const list = '**/v1/decisions?*objectRef=SAME-1*';
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(list, async (route) => {
    await held;
    await route.fulfill({ status: 503, body: '{}' });
  });
  await page.goto(`${service.url}/#/decisions/${body.decision_id}`);
  const same = page.getByRole('region', { name: 'Other decisions about this object' });
  await same.getByText('Loading').waitFor();
  expect(await same.textContent()).not.toContain('None');
  release();
  await same.getByText('This part loads once it responds.').waitFor();
  expect(await same.textContent()).not.toContain('None');
  await page.unroute(list);
  await page.reload();
  await same.getByText('None.').waitFor();
  await check(service, { ...intent, system: 'hr' });
  await page.reload();
  await expect.poll(() => same.getByRole('listitem').count()).toBe(1);
});

test('the search field offers filters and their values to the keyboard, and says which word is none', async () => {
  const { page } = await opened('/decisions');
  const search = page.getByRole('combobox', { name: 'Search' });
  const offered = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
  await search.focus();
  await expect.poll(() => offered.count()).toBe(12);
  await page.keyboard.type('dec');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  expect(await search.inputValue()).toBe('decision:');
  await expect.poll(() => offered.allTextContents()).toEqual(['allow', 'pause', 'block']);
  await examine(page, 'decisions-suggestions', 'variation');
  // A filter without a value is no search.
  expect(page.url()).not.toContain('q=');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  expect(await search.getAttribute('aria-activedescendant')).toBe('suggestion-1');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain('decision=pause');
  expect(await offered.count()).toBe(0);
  await page.keyboard.type('system:c');
  await offered.getByText('crm').click();
  await expect.poll(() => page.url()).toContain('system=crm');
  await search.fill('agnt:x');
  await page.getByText('No filter is called agnt.').waitFor();
  await page.getByRole('button', { name: 'agent', exact: true }).click();
  expect(await search.inputValue()).toBe('agent:x');
});

test('an exact filter keeps leading and trailing spaces', async () => {
  await check(service, { ...ALLOWED, objectRef: ' padded ' });
  const { page } = await opened('/decisions');
  await page.getByLabel('Search').fill('object:" padded "');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain('objectRef=+padded+');
  await expect.poll(() => lines(page).count()).toBe(1);
  await page.reload();
  await page.getByText('with spaces at an end').waitFor();
  expect(page.url()).toContain('objectRef=+padded+');
  await lines(page).first().waitFor();
  expect(await lines(page).count()).toBe(1);
});

test('look-alike values are found by name and by code, and an agent that does not exist is named', async () => {
  const { workflowId: _, ...mismatch } = MISMATCH;
  await check(service, { ...mismatch, objectRef: 'V-1002', agentValue: 'P\u0430yroll GmbH' });
  const { page } = await opened('/decisions');
  const search = page.getByLabel('Search');
  await search.fill('is:lookalike');
  await page.getByText('applies the filters').waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('.decisions tbody tr').count()).toBe(1);
  expect(page.url()).toContain('is=lookalike');
  expect(await page.getByLabel('Reason').inputValue()).toBe('lookalike');
  // Two attempts on one object differ in their values alone.
  await check(service, { ...mismatch, objectRef: 'V-1002', agentValue: 'Payr\u043ell GmbH' });
  await page.locator('.decisions tbody a').first().click();
  const same = page.getByRole('region', { name: 'Other decisions about this object' });
  await same.getByText('U+043E').waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Clear' }).click();
  await search.fill('u+0430');
  await page.getByRole('status').filter({ hasText: '2 matches' }).waitFor();
  await search.fill('agent:nobody-bot');
  await page.keyboard.press('Enter');
  await page.getByText('No agent is called nobody-bot').waitFor();
  await page.getByRole('link', { name: 'Show all agents' }).click();
  await search.fill('reason:nonsense');
  await page.getByText('No reason is called nonsense.', { exact: false }).waitFor();
  await search.fill('colour:red');
  await page.getByText('No filter is called colour, so it is searched as text.', { exact: false }).waitFor();
  await search.fill('reason:look-alike');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain('is=lookalike');
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.locator('.decisions tbody tr').nth(5).waitFor();
  expect(await page.getByRole('combobox', { name: 'Agent' }).inputValue()).toBe('');
});

test('a minus leaves out, amounts compare and sort, and what repeats is in sight with a way to freeze it', async () => {
  const made = await signUp(service, 'amounts');
  for (const [at, amount] of [90, 2_500, 12_000, 48_000].entries()) {
    const metadata = { context: { amount, currency: 'EUR', requestedBy: 'cfo@example.com' } };
    await check(service, { ...ALLOWED, objectRef: `A-${at}`, metadata }, { key: made.developmentKey });
  }
  for (let at = 0; at < 10; at += 1)
    await check(service, { ...PAUSED, objectRef: `P-${at}` }, { key: made.developmentKey });
  const { page } = await opened('/decisions', { ...service, ownerKey: made.ownerKey });
  const rows = page.locator('.decisions tbody tr');
  const repeats = page.getByRole('region', { name: 'What repeats' });
  await repeats.getByRole('link', { name: /^10 writes of/ }).waitFor();
  await repeats.getByRole('button', { name: /^Freeze/ }).click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  const search = page.getByRole('combobox', { name: 'Search' });
  const apply = async (text: string) => {
    await search.fill(text);
    await page.keyboard.press('Enter');
  };
  await apply('-decision:pause amount:>10000');
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByText('Outcome is not').waitFor();
  await page.getByRole('status').filter({ hasText: '2 matches, 60,000.00 EUR' }).waitFor();
  await page.getByRole('button', { name: 'Amount', exact: true }).click();
  await expect.poll(() => rows.first().textContent()).toContain('48,000.00 EUR');
  await page.getByRole('button', { name: /^Amount/ }).click();
  await expect.poll(() => rows.first().textContent()).toContain('12,000.00 EUR');
  await examine(page, 'decisions-amounts', 'variation');
  await page.getByRole('button', { name: 'Clear' }).click();
  // A match in what the row does not show is shown.
  await search.fill('cfo@');
  await page.getByRole('status').filter({ hasText: '4 matches' }).waitFor();
  await rows.first().getByText('For: cfo@example.com').waitFor();
  expect(await rows.first().locator('mark').textContent()).toBe('cfo@');
  await apply('-agent:development');
  await page.getByText('No matches').waitFor();
  await page.getByRole('button', { name: /^Remove filter Agent is not/ }).click();
  await apply('agent:a OR agent:b');
  await page.getByText('OR is not possible', { exact: false }).waitFor();
  expect(page.url()).not.toContain('q=');
});

test('an unknown decision is reported as such', async () => {
  const { page } = await opened(`/decisions/dec_${'0'.repeat(32)}`);
  await page
    .getByRole('alert')
    .getByText('There is no such decision in this workspace.', { exact: false })
    .waitFor();
  await examine(page, 'decision-unknown', 'variation');
});

test('a list survives an outage of the service', { tags: ['nightly'] }, async () => {
  const { page } = await opened('/decisions');
  await lines(page).first().waitFor();
  await page.context().setOffline(true);
  await page.getByText('Can’t reach the service.').waitFor();
  await page.getByText(/^Shown as of/).waitFor();
  expect(await lines(page).count()).toBeGreaterThan(0);
  await page.context().setOffline(false);
  await page.getByText('Can’t reach the service.').waitFor({ state: 'detached' });
  await expect.poll(() => page.getByRole('alert').count()).toBe(0);
});
