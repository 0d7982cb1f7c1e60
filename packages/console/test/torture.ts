/** Every page of the console on a large store: `npm run torture -- console [decisions] [reviews]`. */
import { signIn, startBrowser, startTestService } from './harness.ts';
import { fillReviews, fillStore } from './large-store.ts';
import { type PageTask, walkPages } from './page-smoothness.ts';
import { seed } from './seed.ts';

const RUN_MS_MAX = 50;
const SPREAD_MS = 6 * 86_400_000;
const ROUNDS = 3;

export async function torture([decisions = '100000', reviews = '10000']: readonly string[]) {
  // No record may be much older than the newest one, so the service lives in the past until the store is full.
  let behindMs = SPREAD_MS;
  const service = await startTestService({ clock: () => Date.now() - behindMs });
  const browser = await startBrowser();
  const rounds: (readonly PageTask[])[] = [];
  try {
    await fillStore(service, Number(decisions), SPREAD_MS);
    behindMs = 0;
    await seed(service, { nowMs: 0 }, 400, 'now');
    await fillReviews(service, Number(reviews));
    for (let round = 0; round < ROUNDS; round += 1) {
      const { page } = await browser.open(`${service.url}/#/sign-in`);
      await signIn(page, service, '/decisions');
      rounds.push(await walkPages(page, service));
      await page.close();
    }
  } finally {
    await browser.close();
    await service.stop();
  }
  const tasks = rounds.flat().toSorted((a, b) => b.longestMs - a.longestMs);
  const over = tasks.filter(({ longestMs }) => longestMs > RUN_MS_MAX);
  const [longest] = tasks;
  return {
    claim: `no task of a page takes over ${RUN_MS_MAX} ms of CPU`,
    count: `${Number(decisions).toLocaleString('en')} decisions, ${Number(reviews).toLocaleString('en')} reviews, ${rounds[0]?.length} pages, longest task ${longest?.longestMs} ms on ${longest?.path}`,
    seed: '-',
    faults: over.map(({ path, longestMs }) => `a task of ${path} took ${longestMs} ms`),
  };
}
