/** The console with a large store: `npm run torture -- console [decisions] [reviews]`. */
import { signIn, startBrowser, startTestService } from './harness.ts';
import { fillReviews, fillStore, type Held, lookThrough, lookThroughReviews } from './list-smoothness.ts';

const RUN_MS_MAX = 50;
const ROUNDS = 3;

export async function torture([decisions = '100000', reviews = '10000']: readonly string[]) {
  const service = await startTestService();
  const browser = await startBrowser();
  const rounds: Held[] = [];
  try {
    await fillStore(service, Number(decisions));
    for (let round = 0; round < ROUNDS; round += 1) {
      const { page } = await browser.open(`${service.url}/#/sign-in`);
      await signIn(page, service, '/decisions');
      rounds.push(await lookThrough(page));
      await page.goto(`${service.url}/#/reviews`);
      rounds.push(await lookThroughReviews(page));
      await page.close();
    }
  } finally {
    await browser.close();
    await service.stop();
  }
  const longest = Math.max(...rounds.map(({ longestMs }) => longestMs));
  const wall = rounds.map(({ onTheWallMs }) => onTheWallMs.length);
  await fillReviews(service, Number(reviews));
  return {
    claim: `no task of the page over ${RUN_MS_MAX} ms while browsing decisions and reviews`,
    count: `${Number(decisions).toLocaleString('en')} decisions, ${Number(reviews).toLocaleString('en')} reviews, longest task ${longest} ms of CPU; long tasks per round by wall clock ${wall.join(', ')}`,
    seed: '-',
    faults: longest > RUN_MS_MAX ? [`a task took ${longest} ms`] : [],
  };
}
