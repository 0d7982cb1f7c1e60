/** Limits, facts and reported outcomes in the console: what is used up, what the record says, and what became of a write. */
import { beforeAll, expect, test } from 'vitest';
import { signEvidence } from '../../client/src/evidence.ts';
import { ask } from '../../service/test/ask.ts';
import { examine } from './harness.ts';
import { applyPolicies, opened, service, useOwnConsole } from './own-console.ts';

useOwnConsole();

const REFUND = { system: 'payments', operation: 'refund.create', objectType: 'order' };
const ORDER = {
  customer: 'C-1001',
  currency: 'EUR',
  total: 640,
  createdAt: '2026-11-16T08:30:00Z',
  shippingAddress: { city: 'Dublin' },
  lines: [
    { sku: 'A-1', price: 490, currency: 'EUR', returned: true },
    { sku: 'B-7', price: 150, currency: 'EUR', returned: false },
  ],
};
let desk: CryptoKeyPair;

function bundle(jwk: object): readonly object[] {
  return [
    {
      kind: 'ControlPack',
      id: 'shop',
      controls: {
        order: {
          facts: true,
          maxAge: '5m',
          sources: ['order-system'],
          assurance: 'attested',
          bind: 'object',
        },
        approval: { assurance: 'attested', review: { identity: 'any' } },
      },
    },
    { kind: 'EvidenceSource', id: 'order-system', keys: { keys: [jwk] } },
    {
      kind: 'Profile',
      id: 'refund-returned-goods',
      match: { system: 'payments', operation: 'refund.*' },
      when: 'facts.order.lines.exists(line, line.returned == true)',
      permit: true,
    },
    {
      kind: 'Limit',
      id: 'refunds-per-customer',
      version: '1',
      match: { system: 'payments', operation: 'refund.*' },
      by: ['facts.order.customer', 'facts.order.currency'],
      sum: 'intent.metadata.context.amount',
      max: 500,
      per: 'day',
      beyond: { require: ['approval'] },
    },
    { kind: 'Limit', id: 'refunds-in-all', match: { system: 'payments' }, max: 1000, per: '1h' },
  ];
}

/** A check with signed facts, of a live key. */
async function refund(objectRef: string, amount: number, facts: object = ORDER) {
  const intent = { ...REFUND, objectRef, metadata: { context: { amount, currency: 'EUR' } } };
  const item = await signEvidence({
    key: desk.privateKey,
    kid: 'orders-1',
    source: 'order-system',
    workspace: service.workspace,
    controlId: 'order',
    result: 'PASS',
    bind: 'object',
    intent: intent as never,
    facts: facts as never,
  });
  const { body, text } = await ask(`${service.url}/v1/check-write`, {
    key: service.liveKey,
    json: { ...intent, controlEvidence: [item] },
  });
  expect(body.decision, text).toBeDefined();
  return body;
}

beforeAll(async () => {
  desk = (await crypto.subtle.generateKey({ name: 'Ed25519' }, true, ['sign', 'verify'])) as CryptoKeyPair;
  const jwk = { ...(await crypto.subtle.exportKey('jwk', desk.publicKey)), kid: 'orders-1' };
  await applyPolicies(bundle(jwk));
}, 60_000);

test('a review says what the record says and how much of the limit is used up', async () => {
  for (const [objectRef, amount] of [
    ['O-1', 250],
    ['O-2', 230.5],
  ] as const)
    expect((await refund(objectRef, amount)).decision).toBe('allow');
  const paused = await refund('O-3', 120);
  expect(paused).toMatchObject({ decision: 'pause', review: { controls: ['approval'] } });
  const { body } = await ask(`${service.url}/v1/reviews`, {
    key: service.liveKey,
    json: { decision_id: paused.decision_id, justification: 'The customer returned it' },
  });
  const { page } = await opened(`/reviews/${body.review.id}`);
  const limit = page.getByRole('region', { name: 'Limits' });
  await limit.getByText('480.50 of 500.00 EUR today (UTC) for customer C-1001', { exact: false }).waitFor();
  await limit.getByText('This write: 120.00 EUR, 100.50 EUR too much.', { exact: false }).waitFor();
  await limit.getByText('This write: the 3rd.', { exact: false }).waitFor();
  const record = page.getByRole('region', { name: 'What the record says' });
  await record.getByText('order from order-system, read', { exact: false }).waitFor();
  await record.getByText('read by refund-returned-goods').waitFor();
  await record.getByText('640.00 EUR').waitFor();
  await record.getByRole('table', { name: 'Lines' }).getByText('490.00 EUR').waitFor();
  await record.getByText('16 Nov 2026', { exact: false }).waitFor();
  await examine(page, 'review-counted', 'variation');
});

test('the decision says the same, with every value that the source signed', {
  tags: ['nightly'],
}, async () => {
  const { body } = await ask(`${service.url}/v1/decisions?decision=pause&objectRef=O-3`, {
    key: service.ownerKey,
  });
  const { page } = await opened(`/decisions/${body.decisions[0].decision_id}`);
  const limit = page.getByRole('region', { name: 'Limits' });
  const record = page.getByRole('region', { name: 'What the record says' });
  await page.getByRole('heading', { name: 'Why it was paused' }).waitFor();
  await record.getByText('Dublin').waitFor();
  await limit.getByText('100.50 EUR too much', { exact: false }).waitFor();
  await examine(page, 'decision-counted', 'variation');
});

test('without facts the page says so, and shows no value of an item that gave none', async () => {
  const { body } = await ask(`${service.url}/v1/check-write`, {
    key: service.liveKey,
    json: {
      ...REFUND,
      objectRef: 'O-9',
      metadata: { context: { amount: 5, currency: 'EUR' } },
      controlEvidence: [
        {
          controlId: 'order',
          source: 'order-system',
          result: 'PASS',
          checkedAt: new Date().toISOString(),
          attestation: `e30.${Buffer.from('{"facts":{"customer":"C-FORGED"}}').toString('base64url')}.AAAA`,
        },
      ],
    },
  });
  const { page } = await opened(`/decisions/${body.decision_id}`);
  const record = page.getByRole('region', { name: 'What the record says' });
  await record.getByText('not signed by an accepted source', { exact: false }).waitFor();
  await page.getByText('What this write counts for can’t be read', { exact: false }).waitFor();
  expect(await page.locator('main').innerText()).not.toContain('C-FORGED');
});

test('the limits page shows who used how much, leads to the writes, and an owner gives back', async () => {
  const { page } = await opened('/limits');
  const card = page.getByRole('region', { name: 'refunds-per-customer' });
  await card
    .getByText('At most 500 a day for each customer and currency. Beyond that a write needs approval.')
    .waitFor();
  const row = card.getByRole('row', { name: /C-1001/ });
  await row.getByText('480.50 of 500.00 EUR').waitFor();
  await page.getByRole('region', { name: 'refunds-in-all' }).getByText('the whole workspace').waitFor();
  const headOf = (name: string) => card.getByRole('columnheader', { name });
  expect(await headOf('Used').getAttribute('aria-sort')).toBe('descending');
  await headOf('For').getByRole('button').click();
  expect(await headOf('For').getAttribute('aria-sort')).toBe('ascending');
  await examine(page, 'limits');
  await row.getByRole('button', { name: /Return/ }).click();
  const form = page.getByRole('dialog', { name: 'Return' });
  await form.getByLabel('How much').fill('481');
  await form.getByLabel('Reason').fill('O-2 was reversed');
  await form.getByRole('button', { name: 'Return' }).click();
  await form.getByRole('alert').getByText('only 480.5 is drawn').first().waitFor();
  // The first response is lost; pressed again, it gives back once.
  await form.getByLabel('How much').fill('230.50');
  await page.route(
    '**/corrections*',
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await form.getByRole('button', { name: 'Return' }).click();
  await form.getByText('cannot be reached', { exact: false }).waitFor();
  await form.getByRole('button', { name: 'Return' }).click();
  await form.waitFor({ state: 'detached' });
  await row.getByText('250.00 of 500.00 EUR').waitFor();
  await row.getByRole('link', { name: /Show the writes/ }).click();
  await expect.poll(() => page.url()).toContain('q=C-1001');
  await page.getByRole('link', { name: 'Limits', exact: true }).click();
  await page.getByRole('link', { name: 'Development keys' }).click();
  await page.getByText('Nothing is drawn in this window.').first().waitFor();
});

test('the playground supposes facts and what is drawn, and says that the service would not believe it', async () => {
  const { page } = await opened('/playground');
  await page.getByRole('button', { name: 'As JSON' }).click();
  const intent = { ...REFUND, objectRef: 'O-4', metadata: { context: { amount: 120, currency: 'EUR' } } };
  const item = {
    controlId: 'order',
    source: 'order-system',
    result: 'PASS',
    checkedAt: new Date().toISOString(),
    attestation: 'test:signed-for-object',
    facts: { ...ORDER, customer: 'C-7' },
  };
  await page.getByLabel('Intent as JSON').fill(JSON.stringify({ ...intent, controlEvidence: [item] }));
  const outcome = page.getByRole('region', { name: 'Decision' });
  await outcome.getByText('requirements_met').first().waitFor();
  await outcome.getByText('count as signed on this page only', { exact: false }).waitFor();
  await outcome.getByRole('region', { name: 'What the record says' }).getByText('C-7').waitFor();
  const drawn = outcome.getByLabel('Drawn of refunds-per-customer');
  await drawn.fill('480');
  await outcome.getByText('100.00 EUR too much', { exact: false }).waitFor();
  await outcome.getByText('CONTROL_EVIDENCE_MISSING').first().waitFor();
  await examine(page, 'playground-supposed', 'variation');
  await drawn.fill('lots');
  await outcome.getByText('0 counts until then', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Form' }).click();
  await page.getByText('order from order-system').first().waitFor();
  await page.locator('.evidence summary').click();
  await page.getByLabel('Facts of order from order-system').fill('{"iss":"x","facts":{"customer":"C-8"}}');
  await outcome.getByRole('region', { name: 'What the record says' }).getByText('C-8').waitFor();
  // Another intent brings its own facts, and not the text that was typed here.
  await page.getByRole('button', { name: 'As JSON' }).click();
  const other = { ...item, facts: { customer: 'C-9' } };
  await page.getByLabel('Intent as JSON').fill(JSON.stringify({ ...intent, controlEvidence: [other, item] }));
  await page.getByRole('button', { name: 'Form' }).click();
  await page.locator('.evidence summary').first().click();
  const facts = page.getByLabel('Facts of order from order-system').first();
  await facts.fill('{"customer": "C-10"}');
  await page.getByRole('button', { name: 'Remove order from order-system' }).first().click();
  await expect.poll(() => facts.inputValue()).toContain('C-7');
});

test('a decision says what became of the write, and the list and the overview find what nobody knows', async () => {
  const { decision_id: id, intentDigest } = await refund('O-5', 10);
  const { page } = await opened(`/decisions/${id}`);
  const became = page.getByRole('region', { name: 'What became of it' });
  await became.getByText('Not reported').waitFor();
  await became.getByText('The agent has not confirmed this write yet.').waitFor();
  await page.route(`**/v1/decisions/${id}`, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    json.response.validUntil = new Date(Date.now() - 1_000).toISOString();
    await route.fulfill({ response, json });
  });
  await page.reload();
  await became.getByText('The agent never confirmed this write.').waitFor();
  await page.unroute(`**/v1/decisions/${id}`);
  const post = (path: string, json: object) =>
    ask(`${service.url}/v1/decisions/${id}/${path}`, { key: service.liveKey, json });
  expect((await post('redeem', { intentDigest })).status).toBe(200);
  expect((await post('outcome', { result: 'unknown', note: 'the bank timed out' })).status).toBe(200);
  await page.reload();
  await became.getByText('The caller does not know if it was written.', { exact: false }).waitFor();
  await became.getByText('the bank timed out').waitFor();
  await became.getByText('Taken by', { exact: false }).waitFor();
  await examine(page, 'decision-outcome', 'variation');
  // The list also has allows that nobody took, which the overview does not count.
  await page.route('**/v1/decisions/counts?*', async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    await route.fulfill({ response, json: { ...json, outcomes: { ...json.outcomes, missing: 3 } } });
  });
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByText('3 allowed writes taken and never reported', { exact: false }).waitFor();
  expect(await page.getByRole('link', { name: '3 allowed writes' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Every allow without a report' }).waitFor();
  await page.getByRole('link', { name: '1 allowed write with an unknown outcome' }).click();
  await page.getByRole('button', { name: 'Remove filter Reported' }).waitFor();
  await page
    .getByRole('table', { name: /Decisions/ })
    .getByText('O-5')
    .waitFor();
  expect(
    await page
      .getByRole('table', { name: /Decisions/ })
      .getByRole('row')
      .count(),
  ).toBe(2);
  await page.getByRole('combobox', { name: 'Reported' }).selectOption('failed');
  await page.getByText('No matches').waitFor();
});
