/** Opens every page on a large store and uses what is on it, measuring the longest task of each. */

import { ask } from '../../service/test/ask.ts';
import { PAGES } from '../src/pages/registry.ts';
import type { Page, TestService } from './harness.ts';
import { lookThrough } from './list-smoothness.ts';
import { watchTasks } from './longest-task.ts';

export interface PageTask {
  readonly path: string;
  readonly longestMs: number;
}

/** How many rows a page of the inbox has. */
const SHOWN = 30;

type Use = (page: Page) => Promise<unknown>;

/** What a person does on a page beyond opening it and scrolling. */
const USES: { readonly [path: string]: Use } = {
  '/decisions': lookThrough,
  async '/reviews'(page) {
    for (let number = 2; number < 6; number += 1) {
      await page.getByRole('link', { name: 'Next' }).click();
      await page.getByText(new RegExp(`^${(number - 1) * SHOWN + 1}–`)).waitFor();
    }
    await page.waitForTimeout(2_500);
    for (const head of ['Amount', 'Write', 'Agent']) {
      await page.getByRole('columnheader', { name: head }).getByRole('button').click();
      await page.waitForTimeout(200);
    }
    for (const tab of ['For others', 'Closed']) {
      await page.getByRole('link', { name: tab }).click();
      await page.waitForTimeout(1_000);
    }
  },
  async '/audit'(page) {
    const all = page.getByRole('button', { name: /Show all/ });
    if ((await all.count()) > 0) await all.click();
  },
};

export async function walkPages(
  page: Page,
  service: TestService,
  only: readonly string[] = PAGES.map(({ path }) => path),
): Promise<readonly PageTask[]> {
  const found: PageTask[] = [];
  for (const { path, access } of PAGES) {
    if (access !== 'signed_in' || !only.includes(path)) continue;
    const place = await placeOf(path, service);
    await page.goto(`${service.url}/#/nowhere`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    const stop = await watchTasks(page);
    await page.goto(`${service.url}/#${place}`);
    await page.locator('main h1').waitFor();
    await page.waitForFunction(() => document.querySelector('.skeleton') === null);
    await page.waitForTimeout(500);
    for (let turns = 0; turns < 4; turns += 1) await page.mouse.wheel(0, 600);
    await USES[path]?.(page);
    found.push({ path, longestMs: await stop() });
  }
  return found;
}

/** An address for a page whose path has a parameter. */
async function placeOf(path: string, { url, ownerKey: key }: TestService): Promise<string> {
  if (path === '/reviews/together' || path === '/reviews/:id') {
    const { body } = await ask(`${url}/v1/reviews?state=open&system=payments&limit=20`, { key });
    const ids: readonly string[] = body.reviews.map(({ id }: { id: string }) => id);
    return path === '/reviews/:id' ? `/reviews/${ids[0]}` : `${path}?ids=${ids.join(',')}`;
  }
  if (path === '/decisions/:id') {
    const { body } = await ask(`${url}/v1/decisions?limit=1&decision=pause`, { key });
    return `/decisions/${body.decisions[0].decision_id}`;
  }
  if (path === '/agents/:id') {
    const { body } = await ask(`${url}/v1/keys`, { key });
    return `/agents/${body.keys.find(({ kind }: { kind: string }) => kind === 'live').id}`;
  }
  return path;
}
