/** Scrolls, pages and filters the lists of decisions. */
import type { Page } from './harness.ts';

export async function lookThrough(page: Page): Promise<void> {
  const settled = () => page.locator('table.decisions[aria-busy="false"]').waitFor();
  await page.locator('table.decisions tbody tr').nth(39).waitFor();
  for (let pages = 0; pages < 5; pages += 1) {
    for (let turns = 0; turns < 4; turns += 1) await page.mouse.wheel(0, 600);
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByText(`Page ${pages + 2}`).waitFor();
    await settled();
  }
  await page.getByLabel('Reason').selectOption('CONTROL_FAILED');
  await settled();
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByLabel('Search').pressSequentially('object:C-123', { delay: 20 });
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: /C-123/ }).first().waitFor();
  await settled();
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByLabel('Search').pressSequentially('c-12', { delay: 20 });
  await page.getByRole('button', { name: /^Search all/ }).click();
  await page.waitForTimeout(1_500);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('button', { name: /^Search all/ }).waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await settled();
  for (const time of ['24h', '30d']) {
    await page.getByRole('combobox', { name: 'Time' }).selectOption(time);
    await settled();
  }
  // Long enough for the list to reload on its own.
  await page.waitForTimeout(2_500);
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('pause');
  await settled();
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByText('Page 2').waitFor();
  await settled();
}
