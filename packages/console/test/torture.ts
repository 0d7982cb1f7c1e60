/** The console with a large store: `npm run torture -- console [decisions]`. */
import { signIn, startBrowser, startTestService } from './harness.ts';
import { fillStore, type Held, lookThrough } from './list-smoothness.ts';

const RUN_MS_MAX = 50;
const ROUNDS = 3;

export async function torture([decisions = '100000']: readonly string[]) {
  const service = await startTestService();
  const browser = await startBrowser();
  const rounds: Held[] = [];
  try {
    await fillStore(service, Number(decisions));
    for (let round = 0; round < ROUNDS; round += 1) {
      const { page } = await browser.open(`${service.url}/#/sign-in`);
      await signIn(page, service, '/decisions');
      rounds.push(await lookThrough(page));
      await page.close();
    }
  } finally {
    await browser.close();
    await service.stop();
  }
  const longest = Math.max(...rounds.map(({ longestMs }) => longestMs));
  const wall = rounds.map(({ onTheWallMs }) => onTheWallMs.length);
  return {
    claim: `no task of the page over ${RUN_MS_MAX} ms while browsing decisions`,
    count: `${Number(decisions).toLocaleString('en')} decisions, longest task ${longest} ms of CPU; long tasks per round by wall clock ${wall.join(', ')}`,
    seed: '-',
    faults: longest > RUN_MS_MAX ? [`a task took ${longest} ms`] : [],
  };
}
