/** `npm run torture -- freezes [RACES]`: races of a freeze against checks, redemptions and replays on both stores. */
import type { TortureReport } from '../../../scripts/torture.ts';
import { raceOnce } from './freeze-races.ts';
import { startOn } from './freezes-kit.ts';

const RACES = 1_000;

export async function torture([count]: readonly string[]): Promise<TortureReport> {
  const races = count === undefined ? RACES : Number(count);
  const faults: string[] = [];
  for (const store of ['SQLite', 'PostgreSQL'] as const) {
    const stoppable = await startOn(store);
    for (let race = 0; race < races / 2; race += 1)
      faults.push(...(await raceOnce(stoppable)).map((fault) => `${store}, race ${race}: ${fault}`));
    await stoppable.stop();
  }
  const claim = 'what is sent after the 201 of a freeze is neither allowed, redeemed nor replayed';
  return { claim, count: `${races} races`, seed: 'none', faults };
}
