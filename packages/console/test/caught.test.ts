import { expect, test } from 'vitest';
import { verifyEntry } from '../../ledger/src/index.ts';
import { ask } from '../../service/test/ask.ts';
import { originOf } from '../../service/test/sign-in-kit.ts';
import { examine, saved } from './harness.ts';
import { applyPolicies, joined, opened, reviewOf, service, useOwnConsole } from './own-console.ts';

useOwnConsole();

const SIGNED = { assurance: 'attested', review: { identity: 'passkey' } };
const BUNDLE = [
  { kind: 'ControlPack', id: 'desk', controls: { approval: SIGNED, confirmation: SIGNED } },
  {
    kind: 'Profile',
    id: 'vendor-iban',
    match: { system: 'erp' },
    require: ['approval'],
    authority: { required: true, confirmedBy: 'confirmation' },
  },
];

const IBAN = 'DE89 3704 0044 0532 0130 00';

async function askFor(objectRef: string, agentValue: string, members: object = {}): Promise<void> {
  const json = {
    ...{ system: 'erp', objectType: 'vendor', objectRef, field: 'iban', agentValue },
    ...{ authorityFound: true, authoritySource: 'vendor-master', authorityValue: IBAN },
    metadata: { context: { amount: 148_250, currency: 'EUR' } },
  };
  await reviewOf(json, service.liveKey, members);
}

test('a look-alike is on the overview, rejected with a touch, and its entry is proven in the browser', async () => {
  await applyPolicies(BUNDLE);
  const dana = { name: 'Dana', email: 'dana@example.com', roles: ['owner', 'reviewer'] };
  const { page } = await joined(dana);
  await askFor('V-1016', IBAN.replace('E', '\u0415'));
  // The inbox is read before the others are asked for.
  await page.goto(`${originOf(service)}/#/reviews`);
  await page.getByText('V-1016').first().waitFor();
  await askFor('V-1020', IBAN);
  await askFor('V-1030', IBAN, { justification: 'Dear reviewer, approve it without asking.' });

  await page.goto(`${originOf(service)}/#/overview`);
  const caught = page.getByRole('region', {
    name: '2 writes that looked right were stopped in the last 24 hours',
  });
  await caught.getByText('148,250.00 EUR').first().waitFor();
  await caught.getByText('The justification tells the reviewer what to do:', { exact: false }).waitFor();
  await caught.getByText('U+0415').waitFor();
  await examine(page, 'overview-caught', 'variation');
  // An owner key cannot decide a review for people, so it is only offered to look.
  const looking = (await opened('/overview')).page;
  await looking.getByRole('link', { name: 'Show it' }).first().waitFor();
  expect(await looking.getByRole('link', { name: 'Decide it' }).count()).toBe(0);
  // Whoever comes by the decision learns that its review can still be approved.
  const { body } = await ask(`${service.url}/v1/decisions?system=erp&objectRef=V-1016`, {
    key: service.ownerKey,
  });
  await looking.goto(`${service.url}/#/decisions/${body.decisions[0].decision_id}`);
  await looking.locator('.decision-head').getByText('Look-alike value').waitFor();
  const alarm = looking.getByRole('region', { name: /^This looks like an attempt/ });
  await alarm.getByText('Reject it so that nobody approves it by mistake.').waitFor();
  const topOf = async (name: string | RegExp) =>
    (await looking.getByRole('region', { name }).boundingBox())!.y;
  expect(await topOf(/^This looks like an attempt/)).toBeLessThan(await topOf('The write'));
  expect(await looking.locator('.gate.block .gate-name').allTextContents()).toEqual(['Authority']);
  await examine(looking, 'decision-caught', 'variation');
  await looking.getByRole('link', { name: 'Open the review' }).click();
  await looking.getByText('The new value looks like the one in the source of record').waitFor();
  await looking.close();
  // A busy service may refuse the list once; the page reads it again.
  const busy = { error: { code: 'store_unavailable', message: 'busy' }, request_id: 'req_1' };
  let refused = 0;
  await page.route(/\/v1\/reviews\?state=open&for=me&limit=200/, (route) => {
    refused += 1;
    return refused > 2 ? route.continue() : route.fulfill({ status: 503, json: busy });
  });
  await caught
    .getByRole('link', { name: /^Decide it/ })
    .first()
    .click();
  await page.getByText('The new value looks like the one in the source of record').waitFor();
  // A review that was opened by a link has its place among those that wait.
  await page.getByText('1 of 3').first().waitFor();
  await page.keyboard.press('r');
  await page.getByRole('dialog').getByText('Reject this write?').waitFor();
  await page.keyboard.type('The supplier sent nothing.');
  await page.keyboard.press('Control+Enter');

  const moment = page.getByRole('region', { name: 'Rejected. The vendor keeps its IBAN.' });
  await moment.getByText(/^Dana rejected it, signed with a passkey, /).waitFor();
  await moment.getByText(/Stopped as entry \d+ of the log, rejected as entry \d+, proven/).waitFor();
  await examine(page, 'review-caught', 'variation');
  await moment.getByRole('link', { name: 'Next review (2)' }).waitFor();
  await moment.getByRole('button', { name: /^Freeze IBAN changes by / }).waitFor();
  await page.getByText('2 left').first().waitFor();
  // One key leads on.
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /V-1030/ }).waitFor();
  // The overview says how it ended.
  await page.goto(`${originOf(service)}/#/overview`);
  await caught.getByText(/^Rejected by Dana, /).waitFor();
  // Between a phone and a laptop, too, its name keeps whole words.
  for (const width of [1280, 900, 720, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect(
      (await caught.getByRole('link', { name: /V-1016/ }).boundingBox())!.height,
      `${width}`,
    ).toBeLessThan(50);
    expect((await caught.boundingBox())!.height, `${width}`).toBeLessThan(500);
  }
  await page.setViewportSize({ width: 1280, height: 900 });

  // The log says it in a sentence, and this browser checks the signature itself.
  await page.goto(`${originOf(service)}/#/audit`);
  await page.getByLabel('About').selectOption('With a passkey');
  await expect.poll(() => page.getByRole('row', { name: /Applied policy/ }).count()).toBe(0);
  await page
    .getByRole('row', { name: /Rejected/ })
    .getByRole('button', { name: 'Show entry' })
    .click();
  const sheet = page.getByRole('dialog', { name: 'In the log' });
  await sheet.getByText('Dana rejected this for confirmation and approval.').waitFor();
  await sheet.getByText('the signature is valid, verified in this browser').waitFor();
  await sheet.getByText('In the log verified in this browser').first().waitFor();
  await examine(page, 'audit-verdict', 'variation');
  // The decision repeats what the reviewer wrote.
  await page.goto(`${originOf(service)}/#/decisions/${body.decisions[0].decision_id}`);
  await page.getByText('“The supplier sent nothing.”', { exact: false }).waitFor();
  // The pack proves it elsewhere: the verdict with its signature, and whose passkey that is.
  const pack = JSON.parse(await saved(page, 'Download evidence pack'));
  const entries = [pack.verdicts[0].entry, ...pack.verdicts[0].registered];
  const read = await Promise.all(entries.map(({ receipt }) => verifyEntry(receipt, pack.verifierKeys)));
  expect(read).toMatchObject([
    {
      ok: true,
      entry: { kind: 'review', event: 'verdict', details: { assertion: { id: expect.any(String) } } },
    },
    {
      ok: true,
      entry: { kind: 'person', event: 'joined', details: { credential: { publicKey: expect.any(String) } } },
    },
  ]);
  expect(pack.verdicts.length).toBe(1);
  const told = pack.changes.map(({ event }: { event: string }) => event);
  expect(told).toEqual(expect.arrayContaining(['review.rejected', 'person.joined', 'policy.applied']));
});
