/** "Try it on the last 7 days" in the console: the report of a trial, beside Apply. */
import { expect, test } from 'vitest';
import { ask } from '../../service/test/ask.ts';
import { opened, service, useOwnConsole } from './own-console.ts';

useOwnConsole();

test('a bundle is tried on recorded traffic before it is applied, and nothing is applied by that', async () => {
  const json = {
    system: 'erp',
    operation: 'vendor.update',
    objectRef: 'V-1',
    requiredControls: ['identity'],
  };
  const evidence = [{ controlId: 'identity', source: 'okta', result: 'PASS' }];
  for (const objectRef of ['V-1', 'V-2', 'V-3']) {
    const intent = { ...json, objectRef, controlEvidence: evidence };
    const reply = await ask(`${service.url}/v1/check-write`, { key: service.liveKey, json: intent });
    expect(reply.body.decision).toBe('allow');
  }
  const before = (await ask(`${service.url}/v1/policies`, { key: service.ownerKey })).body.revision;
  const { page } = await opened('/policies');
  await page
    .getByRole('textbox', { name: 'Policy documents' })
    .fill('kind: Profile\nid: approvals\nmatch: { system: erp }\nrequire: [approval]\n');
  await page.getByRole('button', { name: 'Try it on the last 7 days' }).click();
  await page.getByText('Replayed 3 of 3 decisions').waitFor();
  await page.getByRole('heading', { name: 'Newly stopped: 3 decisions (100.0 %)' }).waitFor();
  expect(await page.getByText('Newly allowed: none').count()).toBe(1);
  await page.getByText('3 more writes to approve in 7 days.').waitFor();
  expect((await ask(`${service.url}/v1/policies`, { key: service.ownerKey })).body.revision).toBe(before);
  // Once it is live, what it would change is of the past.
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  await page.getByText(`Revision ${before + 1} is live since`).waitFor();
  await page.getByRole('heading', { name: 'Impact on the last 7 days' }).waitFor({ state: 'detached' });
});

test('a bundle can be applied before its replay ends, which then stops', async () => {
  const { page } = await opened('/policies');
  // It never ends.
  await page.route('**/v1/policies/impact', () => undefined);
  const editor = page.getByRole('textbox', { name: 'Policy documents' });
  await expect.poll(() => editor.inputValue()).toContain('approval');
  await editor.fill(`${await editor.inputValue()}---\nkind: Workflow\nid: later\n`);
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  await page.getByText('Replaying …').waitFor();
  await page.getByRole('button', { name: 'Apply without waiting' }).click();
  await page.getByText(/^Revision \d+ is live since/).waitFor();
  await page.getByRole('button', { name: 'Stop the trial' }).waitFor({ state: 'detached' });
});

test('the dialog that asks to loosen says what the log has of the replayed writes, and none in the past is not said to be enough', async () => {
  const profile = { kind: 'Profile', id: 'approvals', match: { system: 'erp' }, require: ['approval'] };
  const asked = async (more: object, from: string, to: string) => {
    const json = { documents: [{ ...profile, ...more }] };
    const path = `${service.url}/v1/policies?confirmLoosening=true`;
    expect((await ask(path, { method: 'PUT', key: service.ownerKey, json })).status).toBe(200);
    const { page } = await opened('/policies');
    const editor = page.getByRole('textbox', { name: 'Policy documents' });
    await expect.poll(() => editor.inputValue()).toContain(from);
    await editor.fill((await editor.inputValue()).replace(from, to));
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    return page;
  };
  const when = 'intent.metadata.context.amount * 2.0 > 500.0';
  const unclear = await asked({ authority: 'required', when }, '> 500.0', '< 500.0');
  const none = unclear.getByRole('dialog', { name: 'This change may loosen your policy' });
  await none
    .getByText('none newly allowed, none newly stopped, of 3 past decisions.', { exact: false })
    .waitFor();
  await none.getByText('Writes unlike them may now pass.', { exact: false }).waitFor();
  expect(await none.getByRole('button', { name: 'Apply anyway' }).count()).toBe(1);
  await unclear.close();
  const loosens = await asked({}, '- approval', '- identity');
  const dialog = loosens.getByRole('dialog', { name: 'This change loosens your policy' });
  await dialog
    .getByText('3 newly allowed, none newly stopped, of 3 past decisions.', { exact: false })
    .waitFor();
  const recorded = dialog.locator('.examples-of').getByRole('listitem').first();
  expect(await recorded.textContent()).toContain('At the time: allowed, ');
  expect(await recorded.textContent()).not.toContain('was:');
});
