/** What the review pages say after something happened to a review behind the reviewer's back. */
import { expect, test } from 'vitest';
import { ask, PAUSED } from '../../service/test/ask.ts';
import type { Page } from './harness.ts';
import { applyPolicies, opened, reviewOf, service, useOwnConsole } from './own-console.ts';

useOwnConsole();

const packOf = (review: object) => [
  { kind: 'ControlPack', id: 'desk', controls: { approval: { assurance: 'attested', review } } },
  { kind: 'Profile', id: 'customers', match: { system: PAUSED.system }, require: ['approval'] },
];

async function openReview(objectRef: string): Promise<string> {
  return (await reviewOf({ ...PAUSED, objectRef })).id;
}

async function approveIt(page: Page): Promise<void> {
  await page.keyboard.press('a');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Control+Enter');
}

type Network = 'up' | 'down' | 'slow' | 'loses responses';

/** One route from the start: one that comes later is in force only a moment later, and lets a request through. */
async function throughNetwork(page: Page): Promise<(state: Network) => void> {
  let network: Network = 'up';
  await page.route('**/v1/**', async (route) => {
    while (network === 'slow') await new Promise((resolve) => setTimeout(resolve, 50));
    if (network === 'up') return route.continue();
    if (network === 'loses responses' && route.request().method() === 'POST') await route.fetch();
    else if (network === 'loses responses') return route.continue();
    await route.abort();
  });
  await page.reload();
  return (state) => {
    network = state;
  };
}

test('after an outage the page says whether the verdict was saved', async () => {
  await applyPolicies(packOf({ identity: 'any' }));
  const id = await openReview('O-1');
  const { page } = await opened(`/reviews/${id}`);
  const turn = await throughNetwork(page);
  const approve = page.getByRole('button', { name: 'Approve …' });
  await expect.poll(() => approve.isEnabled()).toBe(true);
  turn('down');
  await approveIt(page);
  await page.getByText('We don’t know yet if this was saved.').waitFor();
  turn('up');
  await page.getByText('Not saved: this review is still open.').waitFor();
  await page.getByRole('button', { name: 'Approve again …' }).waitFor();
  // This one arrives, and only its response is lost.
  turn('loses responses');
  await approveIt(page);
  await page.getByText(/^Saved: you approved it at /).waitFor();
});

test('a reason typed in an outage is kept, nothing more is sent until the review is read again, and one button sends it', async () => {
  await applyPolicies(packOf({ identity: 'any' }));
  const id = await openReview('O-0');
  const { page } = await opened(`/reviews/${id}`);
  const turn = await throughNetwork(page);
  const reject = page.getByRole('button', { name: 'Reject …' });
  await expect.poll(() => reject.isEnabled()).toBe(true);
  await page.keyboard.press('r');
  await page.getByRole('dialog').getByRole('textbox').fill('The supplier sent nothing.');
  turn('down');
  await page.keyboard.press('Control+Enter');
  await page.getByText('We don’t know yet if this was saved.').waitFor();
  for (const name of ['Approve …', 'Reject …'])
    expect(await page.getByRole('button', { name }).isDisabled(), name).toBe(true);
  // The banner says it once; what is on the page says quietly how old it is.
  expect(await page.getByText('This part loads once it responds.').count()).toBe(0);
  expect(await page.getByText(/^Shown as of \d\d:\d\d:\d\d$/).count()).toBe(1);
  turn('up');
  await page.getByText('Not saved: this review is still open.').waitFor();
  await reject.click();
  const typed = page.getByRole('dialog').getByRole('textbox');
  expect(await typed.inputValue()).toBe('The supplier sent nothing.');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  turn('slow');
  await page.getByRole('button', { name: 'Reject again' }).click();
  await page.getByText('Sending your rejection …').waitFor();
  await page.getByText('This takes longer than usual.').waitFor();
  turn('up');
  await page.getByText('Your rejection is recorded.').waitFor();
  const { body } = await ask(`${service.url}/v1/reviews/${id}`, { key: service.developmentKey });
  expect(body.review).toMatchObject({
    state: 'rejected',
    verdicts: [{ comment: 'The supplier sent nothing.' }],
  });
});

test('a change of the review rule is said in the inbox, and leads to what it closed', async () => {
  await applyPolicies(packOf({ identity: 'any' }));
  const [first, again, approved] = [
    await openReview('O-2'),
    await openReview('O-3'),
    await openReview('O-4'),
  ];
  const { body } = await ask(`${service.url}/v1/reviews/${approved}`, { key: service.developmentKey });
  const { status } = await ask(`${service.url}/v1/reviews/${approved}/verdicts`, {
    key: service.ownerKey,
    json: { verdict: 'approve', intentDigest: body.review.intentDigest },
  });
  expect(status).toBe(200);
  await applyPolicies(packOf({ identity: 'any', holdsFor: '10m' }));
  const { page } = await opened('/reviews');
  await page.getByText(/^2 reviews closed at .*: revision \d+ changed how they are approved\./).waitFor();
  // Asked for again, it waits here and needs no mention.
  expect(await openReview('O-3')).not.toBe(again);
  await page.getByText(/^1 review closed at .* changed how it is approved\./).waitFor();
  await page.getByRole('link', { name: 'Show them' }).click();
  const rows = page.getByRole('table', { name: 'Recently closed reviews' }).locator('tbody tr');
  await rows.first().waitFor();
  await page.getByRole('searchbox').fill('O-4');
  await expect.poll(() => rows.count()).toBe(1);
  expect(await rows.textContent()).toContain('Approval void');
  await page.getByRole('searchbox').fill('O-2 customer');
  await expect.poll(() => rows.textContent()).toContain('Cancelled');
  expect(await rows.first().locator('mark.found').allTextContents()).toEqual(['customer', 'O-2']);
  await rows.first().getByRole('link').click();
  // The list, which says it as well, is gone then.
  await page.waitForURL((url) => url.href.includes(first));
  await expect.poll(() => page.getByText('the review rule changed').count()).toBe(1);
  expect(await page.getByText('More', { exact: true }).count()).toBe(0);
  await page.goto(`${service.url}/#/reviews`);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect.poll(() => page.getByText(/reviews? closed at/).count()).toBe(0);
});
