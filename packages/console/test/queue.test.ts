/**
 * A reviewer's Monday, worked through by keyboard alone in a real browser: every key is counted.
 * @module-tag nightly
 */
import { expect, test } from 'vitest';
import { ask } from '../../service/test/ask.ts';
import type { Page } from './harness.ts';
import { applyPolicies, opened, reviewOf, service, useOwnConsole } from './own-console.ts';

useOwnConsole();

const REVIEWABLE = { assurance: 'attested', review: { identity: 'any' } };
const BUNDLE = [
  { kind: 'ControlPack', id: 'desk', controls: { approval: REVIEWABLE } },
  { kind: 'Profile', id: 'refunds', match: { system: 'payments' }, require: ['approval'] },
];
/** Every so many is rejected, with a reason. */
const REJECTED_EVERY = 8;
const REASON = 'wrong invoice';

async function fillQueue(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const write = { system: 'payments', operation: 'refund.create', objectType: 'payment' };
    const metadata = { context: { amount: 501 + at, currency: 'EUR' } };
    await reviewOf({ ...write, objectRef: `PAY-${at}`, metadata }, service.liveKey);
  }
}

/** Decides every review and returns how many keys that took; nothing is clicked. */
async function workThrough(page: Page, count: number): Promise<{ keys: number; letters: number }> {
  const used = { keys: 0, letters: 0 };
  const press = async (key: string) => {
    used.keys += 1;
    await page.keyboard.press(key);
  };
  const place = page.locator('.title-row nav').getByText(/ of /);
  await press('j');
  await press('Enter');
  for (let at = 1; at <= count; at += 1) {
    await place.getByText(`1 of ${count - at + 1}`, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Approve …' }).and(page.locator(':enabled')).waitFor();
    const isRejected = at % REJECTED_EVERY === 0;
    await press(isRejected ? 'r' : 'a');
    await page.getByRole('dialog').waitFor();
    if (isRejected) {
      await page.keyboard.type(REASON);
      used.letters += REASON.length;
    }
    await press('Control+Enter');
  }
  await page.getByText('is recorded.').waitFor();
  return used;
}

const COUNT = 41;

test('a reviewer decides 41 reviews with two keys each and no click', async () => {
  await applyPolicies(BUNDLE);
  await fillQueue(COUNT);
  const { page } = await opened('/reviews');
  await page
    .getByRole('link', { name: /Refund/ })
    .first()
    .waitFor();
  const { keys, letters } = await workThrough(page, COUNT);
  expect(keys).toBe(2 + 2 * COUNT);
  expect(letters).toBe(REASON.length * Math.floor(COUNT / REJECTED_EVERY));
  const { body } = await ask(`${service.url}/v1/reviews?state=open`, { key: service.ownerKey });
  expect(body.reviews).toEqual([]);
}, 240_000);
