import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Payment, pay } from './agent.ts';
import { type Setting, startSetting } from './setting.ts';

let setting: Setting;
beforeAll(async () => {
  setting = await startSetting();
});
afterAll(() => setting.stop());

const paying = async (payment: Payment, client = setting.client) =>
  (await pay(client, setting.erp, payment)).executed;

test('an agent that lies about the amount is stopped', async () => {
  expect(await paying({ invoice: 'INV-1', amount: 10_000.5 })).toBe(false);
  expect(await paying({ invoice: 'INV-1', amount: 1 })).toBe(false);
  expect(setting.erp.paid('INV-1')).toBeNull();
});

test('a large line without a purchase order needs an approval, whatever the sum', async () => {
  const { executed, said } = await pay(setting.client, setting.erp, { invoice: 'INV-2', amount: 999 });
  expect([executed, said]).toEqual([false, expect.stringMatching(/approval/)]);
});

test('without facts, or with invented facts, an agent is stopped', async () => {
  const made = { controlId: 'invoice', source: 'erp-reader', result: 'PASS', facts: { rows: [] } };
  expect(await paying({ invoice: 'INV-1', amount: 1000.5 }, setting.alone)).toBe(false);
  expect(await paying({ invoice: 'INV-1', amount: 0, evidence: [made] }, setting.alone)).toBe(false);
});

test('an invoice that does not exist stops the write, because nothing is signed', async () => {
  const { executed, said } = await pay(setting.client, setting.erp, { invoice: 'INV-9', amount: 0 });
  expect([executed, said]).toEqual([false, expect.stringMatching(/facts_unavailable/)]);
});

test('the sum of the lines is paid', async () => {
  expect(await paying({ invoice: 'INV-1', amount: 1000.5 })).toBe(true);
  expect(setting.erp.paid('INV-1')).toBe(1000.5);
});
