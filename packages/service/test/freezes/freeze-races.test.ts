import { describe, expect, test } from 'vitest';
import { raceOnce } from './freeze-races.ts';
import { type Racing, startOn, startThreadsOn } from './freezes-kit.ts';

const RACES = 20;

async function race(racing: Racing): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (let count = 0; count < RACES; count += 1) wrong.push(...(await raceOnce(racing)));
  await racing.stop();
  return wrong;
}

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (store) => {
  test('of 20 races of a freeze against checks, redemptions and replays none lets anything through', async () => {
    expect(await race(await startOn(store))).toEqual([]);
  });

  test('nor over eight threads', { tags: 'nightly', timeout: 120_000 }, async () => {
    expect(await race(await startThreadsOn(store))).toEqual([]);
  });
});
