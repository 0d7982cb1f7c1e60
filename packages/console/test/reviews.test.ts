/** Reviews in the console: the inbox, one review, and verdicts with an owner key. */
import { expect, test } from 'vitest';
import { ask, check, PAUSED, signUp } from '../../service/test/ask.ts';
import { originOf } from '../../service/test/sign-in-kit.ts';
import { examine, type Page, signIn } from './harness.ts';
import { applyPolicies, browser, joined, opened, reviewOf, service, useOwnConsole } from './own-console.ts';

useOwnConsole();

const VENDOR = {
  system: 'erp',
  objectType: 'vendor',
  objectRef: 'V-2077',
  field: 'iban',
  agentValue: 'DE89370400440532013000',
  authorityValue: 'DE8937040044O532013000',
  authoritySource: 'vendor-master',
  authorityFound: true,
  requiredControls: ['identity', 'approval'],
  controlEvidence: [
    { controlId: 'identity', source: 'entra', result: 'PASS', checkedAt: new Date().toISOString() },
  ],
  runId: 'run-7',
  metadata: { context: { amount: 148_250, requestedBy: 'cfo@ex\u0430mple.com' } },
};

const ASKED = {
  justification: 'The supplier sent\u202E new bank details',
  onBehalfOf: 'ada@example.com',
  externalRef: 'https://tickets.example.com/T-1?x=https://bank.example',
};

const REVIEWABLE = { assurance: 'attested', review: { identity: 'any' } };
const BUNDLE = [
  { kind: 'ControlPack', id: 'desk', controls: { approval: REVIEWABLE, confirmation: REVIEWABLE } },
  {
    kind: 'Profile',
    id: 'vendor-iban',
    match: { system: 'erp' },
    require: ['approval'],
    authority: { required: true, confirmedBy: 'confirmation' },
  },
  { kind: 'Profile', id: 'customers', match: { system: PAUSED.system }, require: ['approval'] },
];

let written = 0;

/** A paused write with an open review. */
async function openReview(intent: object = PAUSED, members: object = {}) {
  if (written === 0) await applyPolicies(BUNDLE);
  written += 1;
  const write = { ...intent, objectRef: `O-${written}` };
  return { write, review: await reviewOf(write, service.developmentKey, members) };
}

async function read(id: string) {
  const { body } = await ask(`${service.url}/v1/reviews/${id}`, { key: service.developmentKey });
  return body.review;
}

const approve = (page: Page) => page.getByRole('button', { name: /^Approve (anyway )?…$/ });
const confirm = (page: Page, verb: string) =>
  dialog(page)
    .getByRole('button', { name: new RegExp(`^${verb}( anyway)?( and next)?$`) })
    .click();
const dialog = (page: Page) => page.getByRole('dialog');

test('a paused write is approved in the page, and the same write is then allowed once', async () => {
  const { page } = await opened('/reviews');
  await page.getByText('You’re all caught up').waitFor();
  await examine(page, 'reviews-empty', 'variation');
  expect((await check(service, PAUSED)).body.decision).toBe('pause');
  await page.getByRole('link', { name: 'paused write', exact: true }).click();
  await page.getByRole('link', { name: /customer C-1/ }).click();
  await page.getByRole('button', { name: 'Open a review' }).click();
  await page.getByText('it matches the review').waitFor();
  const id = page.url().split('/').at(-1)!;
  await approve(page).click();
  await dialog(page).getByText('ada@example.com').waitFor();
  expect((await read(id)).state).toBe('open');
  await examine(page, 'review-approve', 'variation');
  await confirm(page, 'Approve');
  await page.getByText('The agent can make this write once', { exact: false }).last().waitFor();
  const { evidence } = await read(id);
  const again = { ...PAUSED, controlEvidence: [...PAUSED.controlEvidence, ...evidence] };
  expect((await check(service, again)).body.decision).toBe('allow');
  expect((await check(service, again)).body.decision).toBe('pause');
  await page.getByText('The agent used this approval', { exact: false }).waitFor();
  await page.goto(`${service.url}/#/reviews?show=closed`);
  const closed = page.getByRole('table', { name: 'Recently closed reviews' });
  await closed.getByText('Approved').last().waitFor();
  await closed
    .getByRole('link', { name: /^used \d\d:\d\d$/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'Why it was allowed' }).waitFor();
  // Another value for it the same day needs a tick, so its row says so and no batch approves it.
  const { id: other } = await reviewOf({ ...PAUSED, agentValue: 'another value' });
  await page.goto(`${service.url}/#/reviews`);
  await page.getByText('changed lately').waitFor();
  await page.goto(`${service.url}/#/reviews/together?ids=${other}`);
  await page.getByText(/^Another value for this .* was allowed .* Open it on its own\.$/).waitFor();
  expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
  const cancelling = { key: service.ownerKey, json: {} };
  await ask(`${service.url}/v1/reviews/${other}/cancel`, cancelling);
});

test('the inbox fills on its own, counts in navigation and title, and opens by keyboard', async () => {
  const { page } = await opened('/reviews');
  await page.getByText('You’re all caught up').waitFor();
  const { review } = await openReview(VENDOR, ASKED);
  const rows = page.getByRole('table', { name: 'Open reviews' }).locator('tbody tr');
  await rows.first().waitFor();
  await page.getByRole('link', { name: 'Inbox 1 open' }).waitFor();
  await expect.poll(() => page.title()).toBe('(1) Inbox · Writecheck');
  // Both are there from the first row, so that nothing moves when rows come and go.
  await page.getByRole('searchbox', { name: 'Search the inbox' }).waitFor();
  await page
    .getByRole('combobox', { name: 'Order' })
    .getByText('Order: warnings first')
    .waitFor({ state: 'attached' });
  await examine(page, 'reviews');
  await openReview(PAUSED);
  await rows.nth(1).waitFor();
  await page.locator('#main').focus();
  for (let presses = 0; presses < 20; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement?.classList.contains('target'))) break;
  }
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  await page.keyboard.press('ArrowDown');
  expect(await focused()).toContain('customer O-');
  await page.keyboard.press('ArrowUp');
  expect(await focused()).toContain('vendor O-');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /vendor O-/ }).waitFor();
  expect(page.url()).toContain(review.id);
});

test('a review shows what the digest covers apart from what the caller says, and fetches no link', async () => {
  const { review } = await openReview(VENDOR, ASKED);
  const { page } = await browser.open('about:blank');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await signIn(page, service, `/reviews/${review.id}`);
  const covered = page.getByRole('region', { name: 'What you approve', exact: true });
  await covered.locator('mark').first().waitFor();
  expect(await covered.locator('mark').allTextContents()).toEqual(['O', '0']);
  await page.getByText('Required by', { exact: false }).first().waitFor();
  for (const text of ['vendor-master', '148,250', 'U+0430']) await covered.getByText(text).first().waitFor();
  const said = page.getByRole('region', { name: 'Said by the caller, not part of what you approve' });
  for (const text of ['U+202E', 'ada@example.com', 'run-7', 'entra']) {
    await said.getByText(text).first().waitFor();
    expect(await covered.textContent(), text).not.toContain(text);
  }
  expect(await said.locator('dt').allTextContents()).toEqual([
    ...['Agent', 'For', 'Justification', 'Link', 'Run'],
  ]);
  const link = said.getByRole('link', { name: 'Open on tickets.example.com' });
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
  expect(asked.filter((url) => !url.startsWith(service.url))).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.textContent)).not.toContain('\u202E');
  await examine(page, 'review');
});

test('what stands out is named before a verdict, and an approval needs a tick', async () => {
  const { review, write } = await openReview(VENDOR);
  await check(service, { ...write, agentValue: 'FR76' });
  const { page } = await opened(`/reviews/${review.id}`);
  const before = page.getByRole('region', { name: 'Before you decide' });
  await before.getByText('The person it is for imitates', { exact: false }).waitFor();
  await before.getByText('Approving overrides vendor-master, which has another value.').waitFor();
  const others = page.getByRole('region', { name: 'Other decisions about this object' });
  await others.getByRole('link', { name: /vendor O-/ }).waitFor();
  await approve(page).click();
  await confirm(page, 'Approve');
  await dialog(page).getByRole('alert').getByText('Tick the box').waitFor();
  expect((await read(review.id)).state).toBe('open');
  await examine(page, 'review-approve-warned');
  await dialog(page).getByRole('checkbox', { name: 'I have checked these points' }).check();
  await page.keyboard.press('Escape');
  await approve(page).click();
  await dialog(page).getByRole('checkbox').check();
  await confirm(page, 'Approve');
  await dialog(page).getByRole('alert').getByText('say how you checked').waitFor();
  await dialog(page).getByLabel('How did you check? (required)').fill('Called the number we have on file.');
  await confirm(page, 'Approve');
  await expect.poll(async () => (await read(review.id)).verdicts.length).toBe(1);
});

test('the second page of the inbox keeps the count of the whole', async () => {
  const made = await signUp(service, 'many');
  for (let at = 0; at < 32; at += 1) await reviewOf({ ...PAUSED, objectRef: `M-${at}` }, made.developmentKey);
  const { page } = await opened('/reviews', { ...service, ownerKey: made.ownerKey });
  const rows = page.getByRole('table', { name: 'Open reviews' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(30);
  await page.getByRole('link', { name: 'Next', exact: true }).click();
  await page.getByText('31–32 of 32').waitFor();
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByRole('link', { name: 'Inbox 32 open' }).waitFor();
  await examine(page, 'reviews-page-2', 'variation');
  // The size of a screen at 200 % zoom: the write keeps most of the row.
  await page.setViewportSize({ width: 720, height: 450 });
  const write = rows.first().locator('td', { has: page.locator('.target') });
  expect((await write.boundingBox())!.width).toBeGreaterThan(360);
});

test('a queue is decided by two keys a review, in the order that was chosen, without a click', async () => {
  const made = await signUp(service, 'queue');
  for (let at = 0; at < 8; at += 1) {
    const metadata = { context: { amount: 100 + 50 * ((at * 5) % 8), currency: 'EUR' } };
    await reviewOf({ ...PAUSED, objectRef: `Q-${at}`, metadata }, made.developmentKey);
  }
  const { page } = await opened('/reviews', { ...service, ownerKey: made.ownerKey });
  const rows = page.getByRole('table', { name: 'Open reviews' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(8);
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('combobox', { name: /^Amount/ }).selectOption('1000');
  await page.getByText('No matches').waitFor();
  await page.getByRole('link', { name: 'Show all 8' }).click();
  await expect.poll(() => rows.count()).toBe(8);
  await page.getByRole('searchbox').fill('q-3');
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByRole('button', { name: 'Clear' }).click();
  const byAmount = page.getByRole('columnheader', { name: 'Amount' });
  for (const [first, order] of [
    ['450.00 EUR', 'descending'],
    ['100.00 EUR', 'ascending'],
    ['450.00 EUR', 'descending'],
  ] as const) {
    await byAmount.getByRole('button').click();
    await expect.poll(() => rows.first().textContent()).toContain(first);
    expect(await byAmount.getAttribute('aria-sort')).toBe(order);
  }
  await examine(page, 'reviews-filtered', 'variation');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  // A phone leads on from the bar as well, which stays in sight.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByLabel('Your verdict').getByRole('link', { name: 'Next' }).waitFor();
  await page.setViewportSize({ width: 1280, height: 900 });
  for (let left = 8; left > 1; left -= 1) {
    await page.getByLabel('Your verdict').getByText(`1 of ${left}`, { exact: true }).waitFor();
    await expect.poll(() => approve(page).isEnabled()).toBe(true);
    await page.keyboard.press('a');
    await dialog(page).getByText('EUR').first().waitFor();
    await page.keyboard.press('Control+Enter');
  }
  await page.getByLabel('Your verdict').getByText('1 of 1', { exact: true }).waitFor();
  await page.getByLabel('Your verdict').getByText('Approved: ', { exact: false }).waitFor();
  await page.keyboard.press('r');
  await dialog(page).getByLabel('Comment (required)').fill('not this one');
  await page.keyboard.press('Control+Enter');
  await page.getByText('The agent may not make this write.', { exact: false }).waitFor();
  // What is over is told as such.
  await page.getByText('A reviewer had to approve this before', { exact: false }).waitFor();
  await page.goto(`${service.url}/#/reviews?show=done`);
  const done = page.getByRole('table', { name: 'Reviews you decided today' }).locator('tbody tr');
  await expect.poll(() => done.count()).toBe(8);
});

test('folded parts must be shown before a write can be approved', async () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`line${at}`, at]));
  const metadata = { ...many, note: 'x '.repeat(2_000) };
  const { review } = await openReview({ ...PAUSED, agentValue: 'y'.repeat(5_000), metadata });
  const { page } = await opened(`/reviews/${review.id}`);
  await page.getByText('first show the 3 folded parts', { exact: false }).waitFor();
  await examine(page, 'review-folded', 'variation');
  expect(await approve(page).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Show all 5,000 characters' }).click();
  await page.getByRole('button', { name: 'Show 11 more metadata members' }).click();
  expect(await approve(page).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Show all 4,002 characters' }).click();
  await expect.poll(() => approve(page).isEnabled()).toBe(true);
});

test('a reject needs a comment, and comments are shown', async () => {
  const { review, write } = await openReview();
  const { page } = await opened(`/reviews/${review.id}`);
  await page.getByLabel('Comment', { exact: true }).fill('Which ticket is this?');
  await page.getByRole('button', { name: 'Add comment' }).click();
  await page.locator('.said').getByText('Which ticket is this?').waitFor();
  await page.getByRole('button', { name: 'Reject …' }).click();
  await confirm(page, 'Reject');
  await dialog(page).getByText('A rejection needs a reason.', { exact: false }).waitFor();
  expect((await read(review.id)).state).toBe('open');
  await examine(page, 'review-reject', 'variation');
  await dialog(page).getByLabel('Comment (required)').fill('wrong customer');
  await confirm(page, 'Reject');
  await expect.poll(async () => (await read(review.id)).state).toBe('rejected');
  // The page moved on to the next review, if there is one.
  await page.goto(`${service.url}/#/reviews/${review.id}`);
  await page.getByText('The agent may not make this write.', { exact: false }).waitFor();
  await page.getByText('proven in this browser', { exact: false }).waitFor();
  await examine(page, 'review-rejected', 'variation');
  const { state, verdicts } = await read(review.id);
  expect([state, verdicts[0].comment]).toEqual(['rejected', 'wrong customer']);
  // The same write in other letters is another review; its page names the rejection.
  const again = await reviewOf({ ...write, objectRef: write.objectRef.toLowerCase() });
  await page.goto(`${service.url}/#/reviews/${again.id}`);
  await page.getByRole('link', { name: 'Rejected' }).waitFor();
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Cancel review …' }).click();
  await dialog(page).getByRole('button', { name: 'Cancel review' }).click();
  await page.getByText('The review is cancelled.').waitFor();
});

test('a write other than the one under review cannot be approved', async () => {
  const { review } = await openReview(VENDOR);
  const { page } = await opened('/reviews');
  const forged = { ...review.intent, agentValue: 'FR1420041010050500013M02606' };
  let members: object = { intent: forged };
  await page.route(`**/v1/reviews/${review.id}`, async (route) => {
    const { review: genuine } = await (await route.fetch()).json();
    await route.fulfill({ json: { review: { ...genuine, ...members } } });
  });
  await page.goto(`${service.url}/#/reviews/${review.id}`);
  await page.getByText('This write is not the one under review.').waitFor();
  expect(await approve(page).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Reject …' }).isDisabled()).toBe(true);
  await examine(page, 'review-forged', 'variation');
  // A forger who also changes the digest that the page compares with.
  const shown = await page.getByRole('alert').locator('code').textContent();
  members = { intent: forged, intentDigest: shown };
  await approve(page).click();
  await dialog(page).getByRole('checkbox').check();
  await dialog(page).getByLabel('How did you check? (required)').fill('not at all');
  await confirm(page, 'Approve');
  await page.getByRole('alert').getByText('is not that of this review', { exact: false }).first().waitFor();
  expect((await read(review.id)).state).toBe('open');
  // A poll may be on its way.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a review for people says why an owner key cannot decide it', async () => {
  const made = await signUp(service, 'people only');
  const controls = { approval: { assurance: 'attested', review: true } };
  const crm = { kind: 'Profile', id: 'crm', match: { system: 'crm' }, require: ['approval'] };
  await applyPolicies([{ kind: 'ControlPack', id: 'pack', controls }, crm], made.ownerKey);
  const review = await reviewOf(PAUSED, made.developmentKey);
  const { page } = await opened(`/reviews/${review.id}`, { ...service, ownerKey: made.ownerKey });
  await page.getByText('an owner key cannot approve it', { exact: false }).waitFor();
  // What nobody here can do is not offered.
  expect(await approve(page).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Reject …' }).count()).toBe(0);
  await examine(page, 'review-for-people', 'variation');
});

test('the address that a review names leads to its page', async () => {
  const { review } = await openReview();
  const path = new URL(review.url).pathname;
  const { page } = await browser.open(`${service.url}${path}`);
  await page.getByLabel('Owner key').fill(service.ownerKey);
  await page.keyboard.press('Enter');
  await approve(page).waitFor();
  await page.goto(`${service.url}/reviews`);
  await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
});

test('several writes are approved under one passkey prompt, each of them shown in full, and the rest rejected under another', async () => {
  const made = await signUp(service, 'passkeys only');
  const controls = { approval: { assurance: 'attested', review: { identity: 'passkey' } } };
  const erp = { kind: 'Profile', id: 'erp', match: { system: 'erp' }, require: ['approval'] };
  await applyPolicies([{ kind: 'ControlPack', id: 'pack', controls }, erp], made.ownerKey);
  const earlier = { ...VENDOR, authorityValue: VENDOR.agentValue, objectRef: 'V-0' };
  const before = await reviewOf(earlier, made.developmentKey);
  const { page } = await joined({ roles: ['reviewer'] }, made.ownerKey);
  // A passkey does not count for a review that was open before it: every page says so, and none offers a verdict.
  await page.goto(`${originOf(service)}/#/reviews`);
  await page.getByText('Your passkey counts for reviews that are opened from now on.').waitFor();
  await page.getByRole('link', { name: '1 review waits for others' }).click();
  await page.getByText('Someone who joined earlier').filter({ visible: true }).waitFor();
  await page.goto(`${originOf(service)}/#/reviews/${before.id}`);
  await page.getByText('Your passkey is newer than this review. Someone who joined earlier must').waitFor();
  expect(await page.getByRole('button', { name: /Approve|Reject/ }).count()).toBe(0);
  await page.keyboard.press('a');
  expect(await dialog(page).count()).toBe(0);
  await examine(page, 'review-newcomer', 'variation');
  const ids: string[] = [];
  for (const [objectRef, agentValue] of [
    ['V-1', 'DE1'],
    ['V-2', 'DE2'],
    ['V-3', `${'long '.repeat(100)}DE3`],
    ['V-4', 'DE4'],
    ['V-5', 'D\u0415 5'],
    ['V-6', 'DE6'],
    ['V-6', 'DE7'],
  ]) {
    const metadata = { context: { amount: 100, currency: 'EUR' } };
    const write = { ...VENDOR, objectRef, agentValue, authorityValue: agentValue, metadata };
    ids.push((await reviewOf(write, made.developmentKey)).id);
  }
  await page.goto(`${originOf(service)}/#/reviews`);
  const pick = (name: string) => page.getByRole('checkbox', { name: new RegExp(name) });
  // The list may have been read while they were being opened.
  await expect.poll(() => pick('V-').count()).toBe(ids.length);
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await page.getByText('7 writes selected').waitFor();
  await page.getByRole('checkbox', { name: 'Select all on this page' }).uncheck();
  await pick('V-1').check();
  await pick('V-4').click({ modifiers: ['Shift'] });
  await page.getByText('4 writes selected').waitFor();
  await pick('V-5').check();
  await page.getByText('1 with a warning: reject it here, approve one by one.').waitFor();
  await examine(page, 'reviews-picked', 'variation');
  await page.getByRole('link', { name: 'Review them together' }).click();
  await page.getByRole('button', { name: 'Approve 4 …' }).waitFor();
  await page.getByRole('heading', { level: 1, name: /^5 IBAN changes by / }).waitFor();
  await page.getByRole('button', { name: 'Reject all 5 …' }).waitFor();
  // Beside each button, what it decides.
  const verdicts = page.getByRole('region', { name: 'Your verdict' });
  expect(await verdicts.locator('.row > *').allTextContents()).toEqual([
    ...['Approve 4 …', '4 writes, 400.00 EUR', 'Reject all 5 …', '5 writes, 500.00 EUR'],
  ]);
  await page.goto(`${originOf(service)}/#/reviews/together?ids=${ids.join(',')}`);
  await expect
    .poll(() =>
      page.getByText(/^Another open review would write DE[67] here, .* Open it on its own\.$/).count(),
    )
    .toBe(2);
  // A table too wide for the window scrolls, and the page does not.
  for (const width of [1440, 1280, 900, 720, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
      `${width}`,
    ).toBe(0);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('button', { name: 'Leave out Change the IBAN of vendor V-4' }).click();
  const approveThem = page.getByRole('button', { name: 'Approve 3 …' });
  expect(await approveThem.isDisabled()).toBe(true);
  const folded = page.getByRole('button', { name: 'Show all 503 characters' });
  for (let left = await folded.count(); left > 0; left -= 1) await folded.first().click();
  for (const value of ['DE1', 'DE2', 'DE3'])
    await page.locator('.value', { hasText: value }).first().waitFor();
  // What is the same in all of them stands there once.
  expect(await page.getByText('vendor-master').count()).toBe(1);
  await examine(page, 'reviews-together');
  await approveThem.click();
  await examine(page, 'reviews-together-confirm', 'variation');
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/verdicts')) sent.push(request.postData()!);
  });
  await dialog(page).getByText('V-2', { exact: true }).waitFor();
  await page.setViewportSize({ width: 1280, height: 400 });
  await dialog(page).getByRole('button', { name: 'Sign and approve 3', exact: true }).click();
  await page.getByRole('heading', { name: '3 writes approved, 300.00 EUR in total.' }).waitFor();
  // Enter leads on to the next one.
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  await expect.poll(focused).toMatch(/^Next review/);
  // The end stands at the top, above the buttons that led to it.
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
  await examine(page, 'reviews-together-done', 'variation');
  const signatures = sent.map((body) => JSON.parse(body).assertion);
  expect(new Set(signatures.map(({ signature }) => signature)).size).toBe(1);
  expect(signatures.map(({ statements }) => statements.length)).toEqual([3, 3, 3]);
  const states = ids.map(async (id) => {
    const { body } = await ask(`${service.url}/v1/reviews/${id}`, { key: made.developmentKey });
    return body.review.state;
  });
  expect(await Promise.all(states)).toEqual(['approved', 'approved', 'approved', ...Array(4).fill('open')]);
  // What may not be approved among others is rejected together, also in a window so low that the list of it scrolls.
  await page.setViewportSize({ width: 1280, height: 400 });
  await page.goto(`${originOf(service)}/#/reviews/together?ids=${ids.slice(4).join(',')}`);
  // The page of the whole batch has the same button.
  await page.getByRole('heading', { level: 1, name: /^3 IBAN changes by / }).waitFor();
  await page.getByRole('button', { name: 'Reject all 3 …' }).waitFor();
  expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
  await page.keyboard.press('r');
  await dialog(page).waitFor();
  await page.keyboard.press('Control+Enter');
  await dialog(page).getByText('A rejection needs a reason.', { exact: false }).waitFor();
  await page.keyboard.type('Not ours.');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { name: '3 writes rejected, 300.00 EUR in total.' }).waitFor();
  const last = await ask(`${service.url}/v1/reviews/${ids.at(-1)}`, { key: made.developmentKey });
  expect(last.body.review).toMatchObject({ state: 'rejected', verdicts: [{ comment: 'Not ours.' }] });
});
