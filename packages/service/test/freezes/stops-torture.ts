/**
 * `npm run torture -- stops [RACES] [CALLERS]`: races of a freeze against checks, redemptions and replays, and many
 * callers with one approval, on both stores, over two replicas and over eight threads.
 */

import { oneApproval } from '../checks/one-approval.ts';
import { raceOnce } from './freeze-races.ts';
import { type Racing, startOn, startThreadsOn } from './freezes-kit.ts';

const RACES = 1_000;
const CALLERS = 10_000;
const ARRANGEMENTS: { readonly [name: string]: () => Promise<Racing> } = {
  SQLite: () => startOn('SQLite'),
  'PostgreSQL, two replicas': () => startOn('PostgreSQL'),
  'SQLite, eight threads': () => startThreadsOn('SQLite'),
  'PostgreSQL, two processes of four threads': () => startThreadsOn('PostgreSQL'),
};

export async function torture([raceCount, callerCount]: readonly string[]) {
  const races = Number(raceCount ?? RACES);
  const callers = Number(callerCount ?? CALLERS);
  const faults: string[] = [];
  const arrangements = Object.entries(ARRANGEMENTS);
  for (const [name, start] of arrangements) {
    const racing = await start();
    for (let race = 0; race < races / arrangements.length; race += 1)
      faults.push(...(await raceOnce(racing)).map((fault) => `${name}, race ${race}: ${fault}`));
    const approved = await oneApproval(racing, Math.ceil(callers / arrangements.length));
    faults.push(...approved.map((fault) => `${name}: ${fault}`));
    await racing.stop();
  }
  const claim =
    'what is sent after the 201 of a freeze is neither allowed, redeemed nor replayed, and of many callers with one approval one writes';
  return { claim, count: `${races} races, ${callers} callers`, seed: 'none', faults };
}
