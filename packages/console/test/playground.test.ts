/** The playground: an intent is edited, predicted and sent, and the service decides as predicted. */
import { expect, test } from 'vitest';
import { signedIntent } from '../../../conformance/case.ts';
import testKeys from '../../../conformance/test-keys.json' with { type: 'json' };
import { examine, type Page, signIn } from './harness.ts';
import { applyPolicies, browser, opened, service, useOwnConsole } from './own-console.ts';

useOwnConsole();

const BUNDLE = [
  {
    kind: 'ControlPack',
    id: 'core',
    controls: {
      identity: { maxAge: '15m', sources: ['okta'] },
      approval: { maxAge: '24h' },
      fraud_screen: {},
    },
  },
  {
    kind: 'Profile',
    id: 'vendor-bank',
    version: '2',
    controlPack: 'core',
    match: { system: 'erp', objectType: 'vendor', field: 'iban' },
    require: ['identity', 'approval'],
    authority: 'required',
    writePolicy: 'block_on_mismatch',
  },
  {
    kind: 'PolicyTest',
    id: 'an old approval pauses',
    now: '2026-01-05T12:00:00Z',
    intent: {
      system: 'erp',
      objectType: 'vendor',
      objectRef: 'V-9',
      field: 'iban',
      agentValue: 'DE1',
      authorityValue: 'DE1',
      authorityFound: true,
      authoritySource: 'vendor-master',
      controlEvidence: [
        { controlId: 'identity', source: 'okta', result: 'PASS', checkedAt: '2026-01-05T11:57:00Z' },
        { controlId: 'approval', source: 'desk', result: 'PASS', checkedAt: '2026-01-03T12:00:00Z' },
      ],
    },
    expect: { decision: 'pause', codes: { approval: 'CONTROL_EVIDENCE_STALE' } },
  },
];

const NO_CASE = { name: '', title: '', policy: [], reviews: [], freezes: [], now: '', expect: {} };

const decisionIn = (page: Page) => page.getByRole('figure').locator('.outcome').textContent();

test('switching evidence off and on shows what changes, without sending', async () => {
  const { page } = await browser.open(service.url);
  const posts: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()));
  await signIn(page, service);
  await page.getByText('Predicted in this page').waitFor();
  expect(await decisionIn(page)).toContain('requirements_met');
  await page.getByRole('checkbox', { name: 'approval from service-desk' }).uncheck();
  await page.getByText('With one item switched off').waitFor();
  expect(await decisionIn(page)).toContain('CONTROL_EVIDENCE_MISSING');
  expect(await page.locator('main').textContent()).toContain('approval: satisfied → missing');
  await page.getByRole('checkbox', { name: 'approval from service-desk' }).check();
  await page.getByRole('figure').getByText('requirements_met').waitFor();

  await page.getByLabel('Start from').selectOption('The approval is missing');
  await page.getByRole('figure').getByText('CONTROL_EVIDENCE_MISSING').waitFor();
  await page.getByRole('button', { name: 'Add a pass for approval' }).click();
  await page.getByRole('figure').getByText('requirements_met').waitFor();

  await page.getByLabel('Start from').selectOption('The value differs from the authority’s');
  await page.getByRole('figure').getByText('authority_mismatch').waitFor();
  await page.getByLabel('agentValue').fill('DE89370400440532013000');
  await page.getByRole('figure').getByText('requirements_met').waitFor();

  await page.getByRole('textbox', { name: 'system' }).fill('');
  await page.getByText('The service would reject this').waitFor();
  expect(posts).toEqual([]);
});

test('an intent is sent with a key created here, and the service decides as predicted', async () => {
  const { page } = await opened('/playground');
  await examine(page, 'playground');
  expect(await page.getByRole('button', { name: 'Send to the service' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Create a development key' }).click();
  await page.getByText('kept in this tab’s memory').waitFor();
  for (const example of await page.getByLabel('Start from').locator('option').allTextContents()) {
    await page.getByLabel('Start from').selectOption(example);
    await page.getByText('Predicted in this page').waitFor();
    const predicted = await decisionIn(page);
    await page.getByRole('button', { name: 'Send to the service' }).click();
    await page.getByText('Decided by the service').waitFor();
    expect(await decisionIn(page), example).toBe(predicted);
  }
  expect(await page.evaluate(() => JSON.stringify([sessionStorage, localStorage]))).not.toContain('wck_dev_');

  const used = await fetch(`${service.url}/v1/usage`, {
    headers: { authorization: `Bearer ${service.ownerKey}` },
  });
  expect(await used.json()).toMatchObject({ used: 6 });
});

test('with policies it shows ages, limits and who requires what; the bundle’s tests are examples', async () => {
  await applyPolicies(BUNDLE);
  const { page } = await opened('/playground');
  await page.getByText('with policy revision 1').waitFor();
  await page.getByLabel('Start from').selectOption('an old approval pauses');
  await page.getByRole('figure').getByText('CONTROL_EVIDENCE_STALE').waitFor();
  const picture = (await page.getByRole('figure').textContent()) ?? '';
  expect(picture).toContain('vendor-bank@2 applies');
  expect(picture).toContain('vendor-master has the same value');
  expect(picture).toMatch(/3 min( \d+ s)? ago · valid for 15 min/);
  expect(picture).toMatch(/2 d ago · limit was 1 d/);
  expect(picture).toContain('profile:vendor-bank@2');
  expect(picture).toContain('Needs: a pass checked within 24 hours');
  expect(picture).not.toMatch(/an? (attested )?PASS/);
  await examine(page, 'playground-policies', 'variation');

  // A wrong value blocks here, and the JSON view reads as strictly as the service.
  await page.getByRole('button', { name: 'As JSON' }).click();
  const editor = page.getByLabel('Intent as JSON');
  const text = await editor.inputValue();
  await editor.fill(text.replace('"agentValue": "DE1"', '"agentValue": "GB33"'));
  await page.getByRole('figure').locator('.outcome.block').waitFor();
  await editor.fill(text.replace('"system"', '"system": "crm", "system"'));
  await page.getByText(/Invalid:/).waitFor();
  await editor.fill(text.replace('"system"', '"requiredControl": ["x"], "system"'));
  await page.getByText('The service would reject this').waitFor();
  expect(await page.locator('main').textContent()).toContain('did you mean');
  await examine(page, 'playground-json', 'variation');
});

test('a draft of the policies is tried before it is applied', async () => {
  const { page } = await opened('/policies');
  const editor = page.getByLabel('Policy documents, as YAML');
  await expect.poll(() => editor.inputValue()).toContain('kind: Profile');
  await editor.fill('kind: Defaults\nunmatched: pause\n');
  await page.getByRole('link', { name: 'Playground', exact: true }).click();
  await page.getByText('with policy revision 1').waitFor();
  await page.getByRole('button', { name: 'Your draft' }).click();
  await page.getByText('with your draft').waitFor();
  await page.locator('.glance').getByText('No policy covers it').waitFor();
  await page.getByText('The service decides with the live policy').waitFor();
  await page.getByRole('button', { name: 'Live policy' }).click();
  await page.getByText('with policy revision 1').waitFor();
});

test('the page sends exactly what it shows', async () => {
  const { page } = await browser.open(service.url);
  const sent: unknown[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/check-write')) sent.push(request.postDataJSON());
  });
  await signIn(page, service);
  await page.getByLabel('Development or live key').fill(service.developmentKey);
  await page.getByRole('button', { name: 'Use key' }).click();
  await page.getByRole('checkbox', { name: 'approval from service-desk' }).uncheck();
  await page.getByRole('button', { name: 'As JSON' }).click();
  const editor = page.getByLabel('Intent as JSON');
  const send = page.getByRole('button', { name: 'Send to the service' });
  const whatStandsThere = async () => JSON.parse(await editor.inputValue());
  const sentNow = async () => {
    const before = sent.length;
    await send.click();
    await expect.poll(() => sent.length).toBe(before + 1);
    return sent.at(-1);
  };
  expect(await sentNow()).toEqual(await whatStandsThere());
  await page.getByRole('button', { name: 'Add a pass for approval' }).click();
  await expect.poll(() => editor.inputValue()).toContain('approval');
  expect(await sentNow()).toEqual(await whatStandsThere());

  const text = await editor.inputValue();
  for (const unreadable of ['{"system":', '[]', `${text}}`]) {
    await editor.fill(unreadable);
    await page.getByText('Out of date.').waitFor();
    expect(await send.isDisabled()).toBe(true);
    expect(await page.locator('.outdated[inert]').getByRole('figure', { includeHidden: true }).count()).toBe(
      1,
    );
    await editor.fill(text);
    await send.and(page.locator(':enabled')).waitFor();
  }
});

test('a recorded decision opens in the playground', async () => {
  const match = { system: 'crm', operation: 'note.add' };
  await applyPolicies([
    ...BUNDLE,
    { kind: 'Profile', id: 'notes', version: '1', match, require: ['identity'] },
  ]);
  const intent = { system: 'crm', operation: 'note.add', objectRef: 'C-77', requiredControls: ['identity'] };
  const response = await fetch(`${service.url}/v1/check-write`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.developmentKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(intent),
  });
  const { decision_id: id } = await response.json();
  const { page } = await opened(`/decisions/${id}`);
  await page.getByRole('link', { name: 'Try it in the playground' }).click();
  await page.getByText('Loaded from').waitFor();
  expect(await page.getByLabel('objectRef').inputValue()).toBe('C-77');
  await page.getByRole('figure').getByText('CONTROL_EVIDENCE_MISSING').waitFor();
  await page.getByRole('button', { name: 'Add a pass for identity' }).click();
  // The bundle accepts one source for this control, and the button adds that source.
  await page.getByRole('figure').getByText('requirements_met').waitFor();
});

test('the page verifies signatures and distrusts one made for another value', async () => {
  const approval = { sources: ['desk'], assurance: 'attested', maxAge: '1h' };
  const keys = { keys: [testKeys['okta-1']].map(({ kty, crv, kid, x }) => ({ kty, crv, kid, x })) };
  await applyPolicies([
    { kind: 'ControlPack', id: 'signed', controls: { approval } },
    { kind: 'EvidenceSource', id: 'desk', keys },
  ]);
  const at = new Date(Date.now() - 60_000).toISOString();
  const intent = {
    system: 'crm',
    objectType: 'customer',
    objectRef: 'C-1',
    field: 'email',
    agentValue: 'ada@example.com',
    requiredControls: ['approval'],
    controlEvidence: [{ controlId: 'approval', source: 'desk', result: 'PASS', checkedAt: at }],
  };
  const attestations = [{ item: 0, key: 'okta-1', claims: { jti: 'one' } }];
  const signed = await signedIntent({ ...NO_CASE, intent, attestations }, service.workspace);
  const { page } = await opened('/playground');
  await page.getByRole('button', { name: 'As JSON' }).click();
  await page.getByLabel('Intent as JSON').fill(JSON.stringify(signed));
  await page.getByRole('figure').getByText('requirements_met').waitFor();
  await page.getByLabel('Intent as JSON').fill(JSON.stringify({ ...signed, agentValue: 'eve@example.com' }));
  await page.getByRole('figure').getByText('CONTROL_EVIDENCE_UNTRUSTED').waitFor();
});

test('a key that cannot send checks is refused', async () => {
  const { page } = await opened('/playground');
  await page.getByLabel('Development or live key').fill(service.ownerKey);
  await page.getByRole('button', { name: 'Use key' }).click();
  await page.getByText('Keys for checks start with wck_dev_').waitFor();
  await page.getByLabel('Development or live key').fill(`${service.developmentKey.slice(0, -1)}_`);
  await page.getByRole('button', { name: 'Use key' }).click();
  await page.getByRole('button', { name: 'Send to the service' }).click();
  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await alert.textContent()).toContain('invalid_key');
  // Only the sending key is refused; the owner stays signed in.
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
});
