import { describe, expect, test } from 'vitest';
import { raceOnce } from './freeze-races.ts';
import { startOn } from './freezes-kit.ts';

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (store) => {
  test('of 20 races of a freeze against checks, redemptions and replays none lets anything through', async () => {
    const stoppable = await startOn(store);
    const wrong: string[] = [];
    for (let race = 0; race < 20; race += 1) wrong.push(...(await raceOnce(stoppable)));
    expect(wrong).toEqual([]);
    await stoppable.stop();
  }, 60_000);
});
