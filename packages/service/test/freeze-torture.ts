/**
 * `npm run torture -- freezes [RACES]`: races of a freeze against checks, redemptions and replays, on both stores, over
 * two replicas and over eight threads.
 */
import { raceOnce } from './freeze-races.ts';
import { type Racing, startOn, startThreadsOn } from './freezes-kit.ts';

const RACES = 1_000;
const ARRANGEMENTS: { readonly [name: string]: () => Promise<Racing> } = {
  SQLite: () => startOn('SQLite'),
  'PostgreSQL, two replicas': () => startOn('PostgreSQL'),
  'SQLite, eight threads': () => startThreadsOn('SQLite'),
  'PostgreSQL, two processes of four threads': () => startThreadsOn('PostgreSQL'),
};

export async function torture([count]: readonly string[]) {
  const races = count === undefined ? RACES : Number(count);
  const faults: string[] = [];
  const arrangements = Object.entries(ARRANGEMENTS);
  for (const [name, start] of arrangements) {
    const racing = await start();
    for (let race = 0; race < races / arrangements.length; race += 1)
      faults.push(...(await raceOnce(racing)).map((fault) => `${name}, race ${race}: ${fault}`));
    await racing.stop();
  }
  const claim = 'what is sent after the 201 of a freeze is neither allowed, redeemed nor replayed';
  return { claim, count: `${races} races`, seed: 'none', faults };
}
