/** Policies in the console: edit, compare with the live bundle, apply, view as a map, and roll back. */
import { expect, test } from 'vitest';
import { ALLOWED, ask, check } from '../../service/test/ask.ts';
import { originOf } from '../../service/test/sign-in-kit.ts';
import { examine, type Page } from './harness.ts';
import { applyPolicies, joined, opened, reviewOf, service, useOwnConsole } from './own-console.ts';

useOwnConsole();

const editor = (page: Page) => page.getByRole('textbox', { name: 'Policy documents' });
const apply = (page: Page) => page.getByRole('button', { name: 'Apply', exact: true });
const asksBeforeLeaving = (page: Page) =>
  page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
const running = async () => (await ask(`${service.url}/v1/policies`, { key: service.ownerKey })).body;

const STRICT = `# What evidence must be like.
kind: ControlPack
id: finance-core
version: "3"
controls:
  identity: { maxAge: 15m, sources: [okta, entra] }
  approval: { maxAge: 24h, onUnmet: block }
---
kind: Profile
id: vendor-bank-details
version: "1"
controlPack: finance-core
match: { system: erp, objectType: vendor, field: [iban, account_number] }
when: "intent.metadata.context.amount > 1000.0"
require: [identity, approval]
authority: required
writePolicy: block_on_mismatch
---
kind: Profile
id: customer-email
match: { system: crm, field: email }
require: [identity]
writePolicy: observe
---
kind: Workflow
id: vendor-onboarding
profiles: [vendor-bank-details]
require: [dual_control]
---
kind: PolicyTest
id: without approval nothing is written
now: "2026-11-15T12:00:00Z"
intent: { system: erp, objectType: vendor, objectRef: V-1, field: iban, agentValue: X }
expect: { decision: block }
`;

test('a first bundle is checked while typing, its tests run in the page, and it is applied', async () => {
  const { page } = await opened('/policies');
  await page.getByText('all 3 pass').waitFor();
  // Before the first revision nothing can be looser.
  const rules = page.getByRole('region', { name: 'New rules' });
  await rules.getByText('Requires refund_approval').waitFor();
  expect(await rules.textContent()).not.toMatch(/loosens|tightens/i);
  await editor(page).fill(STRICT.replace('require: [identity, approval]', 'requires: [identity, approval]'));
  await page.getByText('1 error').waitFor();
  await page.getByText(/did you mean/).waitFor();
  await page.getByRole('button', { name: 'line 15' }).click();
  const selected = await page.evaluate(() => {
    const area = document.activeElement as HTMLTextAreaElement;
    return area.value.slice(area.selectionStart, area.selectionEnd);
  });
  expect(selected).toBe('requires: [identity, approval]');
  await examine(page, 'policies-faults', 'variation');
  await editor(page).fill(STRICT.replace('expect: { decision: block }', 'expect: { decision: allow }'));
  await page.getByText('1 of 1 fails').waitFor();
  await page.getByText(/^Why: .*supply a pass/).waitFor();
  expect(await apply(page).isDisabled()).toBe(true);
  await editor(page).fill(STRICT);
  await page.getByText('1 test passes').waitFor();
  await apply(page).click();
  await page.getByText('Revision 1 is live since').waitFor();
  expect((await running()).documents).toHaveLength(5);
  await page.getByText('5 documents · no changes').waitFor();
  expect(await asksBeforeLeaving(page)).toBe(false);
  // The success note disappears when the text changes.
  await editor(page).press('End');
  await page.keyboard.type('#');
  await expect.poll(() => page.getByText('Revision 1 is live since').count()).toBe(0);
  expect(await asksBeforeLeaving(page)).toBe(true);
});

test('an error out of sight is shown with its line and member, and a failing test leaves nothing green', async () => {
  const { page } = await opened('/policies');
  await expect.poll(() => editor(page).inputValue()).toContain('kind: PolicyTest');
  const text = await editor(page).inputValue();
  // The caret is at the end of a pasted text, and the error at its start.
  await editor(page).fill(text.replace('maxAge: 24h', 'maxAge: soon'));
  await page.getByText('maxAge: must be a duration such as').waitFor();
  const isSeen = () =>
    page.locator('.l.fault').evaluate((line) => {
      const [{ top, bottom }, paper] = [
        line.getBoundingClientRect(),
        line.closest('.editor')!.getBoundingClientRect(),
      ];
      return top >= paper.top && bottom <= paper.bottom;
    });
  await expect.poll(isSeen).toBe(true);
  await editor(page).press('ControlOrMeta+End');
  await page.keyboard.type('\n# typed');
  await page.getByText('Checking …').waitFor({ state: 'detached' });
  // Typing never takes the user away from the line.
  expect(await isSeen()).toBe(false);
  await page.getByRole('button', { name: 'Show the first error' }).click();
  await expect.poll(isSeen).toBe(true);
  await editor(page).fill(text.replace('decision: block', 'decision: allow'));
  const bar = page.locator('#editor-findings');
  await expect.poll(() => bar.textContent()).toBe('1 test failsFix it to apply.');
  expect(await bar.locator('.allow').count()).toBe(0);
  // The new half of a changed condition stands in the page, however long it is.
  const long = 'intent.metadata.context.amount > 1000.0 && intent.metadata.context.currency == "EUR"';
  await editor(page).fill(text.replace('intent.metadata.context.amount > 1000.0', `'${long}'`));
  await page.locator('.d-added').getByText('currency').waitFor();
  const isCut = await page
    .locator('.diff')
    .evaluateAll((all) => all.some((e) => e.scrollWidth > e.clientWidth));
  expect(isCut).toBe(false);
  await page.getByRole('button', { name: 'Discard changes' }).click();
});

test('a person who may only read policies sees no Apply', async () => {
  const { page } = await joined({ name: 'Rune', email: 'rune@example.com', roles: ['auditor'] });
  await page.goto(`${originOf(service)}/#/policies`);
  await page.getByText('Only authors and owners can apply policies.').waitFor();
  expect(await apply(page).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Try it on the last 7 days' }).count()).toBe(0);
});

test('a loosening change is red, has examples, and needs confirmation', async () => {
  const recorded = {
    ...{ system: 'erp', objectType: 'vendor', objectRef: 'V-7', field: 'iban', agentValue: 'X' },
    ...{ authorityFound: true, authorityValue: 'X', authoritySource: 'vendor-master' },
    metadata: { context: { amount: 5_000 } },
    controlEvidence: [{ controlId: 'identity', source: 'okta', result: 'PASS', checkedAt: new Date() }],
  };
  expect((await check(service, recorded)).body.decision).toBe('block');
  const { page } = await opened('/policies');
  const text = await editor(page).inputValue();
  expect(text).toContain('kind: ControlPack');
  await editor(page).fill(
    text
      .replace(/require:\n {2}- identity\n {2}- approval\n/, 'require: [identity]\n')
      .replace('15m', '5m')
      .replace('decision: block', 'decision: pause'),
  );
  await page.getByText('Changes since revision 1').waitFor();
  await page.locator('.findings').getByText('Loosens').first().waitFor();
  await page.locator('.findings').getByText('Tightens').first().waitFor();
  expect(await page.locator('.d-loosens').allTextContents()).toEqual([expect.stringContaining('approval')]);
  await page.getByRole('heading', { name: 'Would be decided less strictly' }).waitFor();
  await examine(page, 'policies-difference');
  // On a laptop's screen an author sees what changes beside the button that applies it.
  await page.setViewportSize({ width: 1440, height: 900 });
  const seen = (locator: ReturnType<Page['locator']>) =>
    locator.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return window.scrollY === 0 && top >= 0 && bottom <= window.innerHeight;
    });
  await page.evaluate(() => window.scrollTo(0, 0));
  expect(await seen(page.getByRole('heading', { name: 'Changes since revision 1' }))).toBe(true);
  expect(await seen(page.locator('.findings').getByText('Loosens').first())).toBe(true);
  expect(await seen(apply(page))).toBe(true);
  await apply(page).click();
  const dialog = page.getByRole('dialog', { name: 'This change loosens your policy' });
  const examples = dialog.locator('.examples-of');
  expect(await examples.nth(0).textContent()).toMatch(/^From your log \(1\)Change the IBAN of vendor V-7/);
  expect(await examples.nth(1).textContent()).toMatch(/^(From your tests|Constructed from the rules) \(\d/);
  await examine(page, 'policies-loosening', 'variation');
  await page.keyboard.press('Escape');
  await expect.poll(() => dialog.count()).toBe(0);
  expect((await running()).revision).toBe(1);
  await apply(page).click();
  await dialog.getByRole('button', { name: 'Apply anyway' }).click();
  await dialog.getByText('Say why. A change that loosens needs a reason.').waitFor();
  expect((await running()).revision).toBe(1);
  await dialog.getByLabel('Reason (required)').fill('approvals moved to the desk');
  await dialog.getByRole('button', { name: 'Apply anyway' }).click();
  await page.getByText('Revision 2 is live since').waitFor();
  expect((await running()).revision).toBe(2);
});

test('a bundle that someone else replaced is not overwritten', async () => {
  const untouched = (await opened('/policies')).page;
  await editor(untouched).waitFor();
  await untouched.getByRole('link', { name: 'Map', exact: true }).click();
  const { page } = await opened('/policies');
  await editor(page).fill(`${STRICT}---\nkind: Workflow\nid: another\n`);
  await apply(page).and(page.locator(':enabled')).waitFor();
  const { documents } = await running();
  const more = [...documents, { kind: 'Workflow', id: 'meanwhile' }];
  await applyPolicies(more);
  await apply(page).click();
  await page.getByText('Someone applied another revision', { exact: false }).waitFor();
  await page.getByText('Changes since revision 3').waitFor();
  expect((await running()).revision).toBe(3);

  // The text stays, names the revision it started from, and replaces the newer one only after confirmation.
  await page.getByRole('link', { name: 'Map', exact: true }).click();
  await page.getByRole('link', { name: 'Policies', exact: true }).click();
  await page.getByText('You started from revision 2', { exact: false }).waitFor();
  expect(await editor(page).inputValue()).toContain('id: another');
  await page.getByText('6 documents · valid').waitFor();
  expect(await apply(page).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Continue on top of revision 3' }).click();
  await apply(page).and(page.locator(':enabled')).waitFor();
  await page.close();

  // A text without edits follows the live bundle.
  await untouched.getByRole('link', { name: 'Policies', exact: true }).click();
  await expect.poll(() => editor(untouched).inputValue()).toContain('id: meanwhile');
  await untouched.getByText('no changes', { exact: false }).waitFor();
});

test('a bundle that did not reach the service is not resent, and the error note clears', async () => {
  const { page } = await opened('/policies');
  await editor(page).waitFor();
  await editor(page).fill(`${STRICT}---\nkind: Workflow\nid: another\n`);
  await apply(page).and(page.locator(':enabled')).waitFor();
  await page.context().setOffline(true);
  await apply(page).click();
  await page.getByText('This page does not resend changes', { exact: false }).waitFor();
  await page.context().setOffline(false);
  await page.getByText('Back online.', { exact: false }).waitFor();
  await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  expect((await running()).revision).toBe(3);
});

test('the map shows which control is required where', async () => {
  const { page } = await opened('/policies/map');
  const matrix = page.getByRole('table', { name: 'Controls by row' });
  await matrix.waitFor();
  expect(
    await matrix
      .getByRole('row', { name: /^identity/ })
      .getByRole('img')
      .count(),
  ).toBe(3);
  await matrix.getByRole('img', { name: 'required by a profile' }).first().waitFor();
  await examine(page, 'policy-map');
  await page.getByLabel(/Find a control/).fill('dual');
  await expect.poll(() => matrix.getByRole('columnheader').count()).toBe(1);
});

test('an earlier revision can be opened, and rolled back to in one dialog that says what it ends', async () => {
  const controls = { desk_approval: { assurance: 'attested', review: { identity: 'any' } } };
  const desk = [
    { kind: 'ControlPack', id: 'desk', controls },
    { kind: 'Profile', id: 'desk', match: { system: 'desk' }, require: ['desk_approval'] },
  ];
  await applyPolicies([...(await running()).documents, ...desk]);
  await reviewOf({ ...{ system: 'desk', operation: 'pay', objectRef: 'P-1' }, authorityFound: true });
  const { page } = await opened('/policies/revisions');
  await page.getByRole('button', { name: 'Open revision 1 in the editor' }).click();
  await expect.poll(() => editor(page).inputValue()).toContain('approval');
  await page.getByText('Changes since revision 4').waitFor();
  await page.goto(`${service.url}/#/policies/revisions`);
  await page.getByRole('row', { name: /^2\s?approvals moved to the desk/ }).waitFor();
  const author = page.getByRole('row', { name: /^1 / }).getByRole('cell').nth(1);
  // The cell shows the ID until the key names have loaded.
  await expect.poll(() => author.textContent()).toBe('Owner key');
  await examine(page, 'policy-revisions', 'variation');
  const busy = { error: { code: 'run_in_progress', message: 'a run is in progress', details: [] } };
  await page.route('**/v1/policies/impact', (route) => route.fulfill({ status: 409, json: busy }));
  await page.getByRole('button', { name: 'Roll back to revision 1' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rolling back to revision 1 loosens your policy' });
  await dialog.getByText('This closes 1 open review.').waitFor();
  await dialog.getByText('Another trial is running. This one starts when that is done.').waitFor();
  await page.unroute('**/v1/policies/impact');
  await dialog.getByText(/newly allowed|No live decisions/).waitFor();
  await dialog.getByText('Changed lines').click();
  await dialog.getByText('ControlPack').first().waitFor();
  await examine(page, 'policy-rollback', 'variation');
  const confirm = dialog.getByRole('button', { name: 'Roll back anyway' });
  await confirm.click();
  await dialog.getByText('Say why. A change that loosens needs a reason.').waitFor();
  expect((await running()).revision).toBe(4);
  await dialog.getByLabel('Reason (required)').fill('back to what was reviewed');
  await confirm.click();
  await page.getByText('Revision 5 is live. It re-applies revision 1.').waitFor();
  await page.getByRole('row', { name: /^5 live rollback to 1/ }).waitFor();
  await examine(page, 'policy-rolled-back', 'variation');
  expect((await running()).revision).toBe(5);
  expect((await check(service, ALLOWED)).body.evaluatedDecision).not.toBe('allow');
});

test('an author tightens a number alone, sees what it would have changed, and hands over what may loosen', async () => {
  const { revision } = await running();
  const alma = { name: 'Alma', email: 'alma@example.com', roles: ['author'] };
  const { page } = await joined(alma);
  await page.goto(`${originOf(service)}/#/policies`);
  await expect.poll(() => editor(page).inputValue()).toContain('amount > 1000.0');
  const move = async (from: string, to: string) =>
    editor(page).fill((await editor(page).inputValue()).replace(from, to));
  await move('amount > 1000.0', 'amount > 500.0');
  await apply(page).click();
  const asking = page.getByRole('dialog', { name: `Apply revision ${revision + 1}?` });
  await asking.getByText('from amounts over 1,000.00 to over 500.00').waitFor();
  await expect
    .poll(() => page.locator('.l.is-new').allTextContents())
    .toEqual([expect.stringContaining('500.0')]);
  await asking.getByText(/newly allowed|No live decisions/).waitFor();
  await examine(page, 'policies-apply');
  await asking.getByRole('button', { name: 'Apply now' }).click();
  await page.getByText(`Revision ${revision + 1} is live since`).waitFor();

  await move('amount > 500.0', 'amount < 500.0');
  await page.locator('.findings').getByText('Unclear').waitFor();
  // A draft that one returns to opens at its change, and the next key is not typed into it.
  await page.getByRole('link', { name: 'Map', exact: true }).click();
  await page.getByRole('link', { name: 'Policies', exact: true }).click();
  await expect.poll(() => page.locator('.editor').evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0);
  expect(await editor(page).evaluate((area) => area === document.activeElement)).toBe(false);
  await page.getByRole('button', { name: 'Ask an owner …' }).click();
  const refused = page.getByRole('dialog', { name: /loosen/ });
  await refused.getByRole('heading', { name: 'Send this to an owner' }).waitFor();
  expect(await refused.getByRole('button', { name: 'Apply anyway' }).count()).toBe(0);
  await refused.getByLabel('Reason (optional)').fill('small refunds only');
  await refused.getByRole('button', { name: 'Copy link for an owner' }).click();
  await refused.getByRole('button', { name: 'Copied link for an owner' }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await refused.getByRole('button', { name: 'Done' }).waitFor();
  expect(await refused.locator('.loose-list li').getAttribute('class')).toBe('pause');
  await examine(page, 'policies-hand-over', 'variation');
  expect((await running()).revision).toBe(revision + 1);
  await page.close();

  const owner = (await opened('/overview')).page;
  await owner.goto(link.replace(originOf(service), service.url));
  const proposed = owner.getByText('Alma proposes a change: small refunds only');
  await proposed.waitFor();
  await owner.getByText('we can’t verify who wrote it.', { exact: false }).waitFor();
  expect(await owner.getByLabel('What changes, and why').inputValue()).toBe('small refunds only');
  await expect.poll(() => editor(owner).inputValue()).toContain('amount < 500.0');
  expect(owner.url()).not.toContain('draft=');
  // The first changed line is selected, so that an owner reads it first.
  await expect.poll(() => owner.evaluate(() => String(window.getSelection()))).toContain('amount < 500.0');
  await owner.locator('.findings').getByText('Unclear').waitFor();
  // The reason belongs to the text it came with: the log must not record it for another one.
  const why = owner.getByLabel('What changes, and why');
  const theirs = await editor(owner).inputValue();
  await editor(owner).fill(theirs.replace('< 500.0', '< 900.0'));
  await expect.poll(() => why.inputValue()).toBe('');
  await editor(owner).fill(theirs);
  await expect.poll(() => why.inputValue()).toBe('small refunds only');
  await owner.getByRole('button', { name: 'Discard changes' }).click();
  await proposed.waitFor({ state: 'detached' });
  await expect.poll(() => editor(owner).inputValue()).not.toContain('amount < 500.0');
  // One click discards, and one brings it back with what was said, until the next edit.
  await owner.getByText('Changes discarded.').waitFor();
  await owner.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => editor(owner).inputValue()).toContain('amount < 500.0');
  expect(await owner.getByLabel('What changes, and why').inputValue()).toBe('small refunds only');
  await owner.getByRole('button', { name: 'Discard changes' }).click();
  await owner.getByRole('button', { name: 'Undo' }).waitFor();
  await editor(owner).press('End');
  await owner.keyboard.type('#');
  await owner.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
  await owner.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'detached' });
  await owner.goto(`${service.url}/#/policies?draft=broken`);
  await owner.getByText('This link is damaged.', { exact: false }).waitFor();
  expect((await running()).revision).toBe(revision + 1);
});

test('a higher limit shows its examples as supposed, and says that no limit stopped anything', async () => {
  const { documents } = await running();
  const limit = { kind: 'Limit', id: 'vendor-writes', match: { system: 'erp' }, max: 60, per: 'day' };
  await applyPolicies([...documents, limit]);
  const { page } = await opened('/policies');
  await expect.poll(() => editor(page).inputValue()).toContain('max: 60');
  await editor(page).fill((await editor(page).inputValue()).replace('max: 60', 'max: 120'));
  await apply(page).click();
  const dialog = page.getByRole('dialog', { name: 'This change loosens your policy' });
  await dialog.getByText('Nothing in the last 30 days was stopped by a limit.').waitFor();
  const examples = await dialog.locator('.examples-of').allTextContents();
  expect(examples).toEqual([
    expect.stringMatching(/^Writes like these, if the limit were used up \(\d( of \d)?\)/),
  ]);
  expect(examples[0]).not.toContain('was:');
});
