/** The Python client against the fail-closed kit: the same scenarios as the TypeScript client. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { driveClient } from '../../../conformance/client-kit/drive.ts';
import {
  REVIEW_SCENARIOS,
  runFailClosedKit,
  SCENARIOS,
  type Scenario,
} from '../../../conformance/client-kit/index.ts';
import { python, pythonEnvironment, TESTS } from './python.ts';

/** As many as the driver runs at the same time. */
const CONCURRENCY = 16;

describe.skipIf(python === undefined)('the Python client against the fail-closed kit', () => {
  // The blocking client is generated from the asynchronous one, so its run repeats this one.
  for (const way of ['asyncio', 'sync']) {
    const options = { timeout: 120_000, tags: way === 'sync' ? ['nightly'] : [] };
    it(`${way}: writes in exactly the scenarios that are a valid allow`, options, async () => {
      const client = driveClient(python!, [join(TESTS, 'kit_driver.py'), way], pythonEnvironment);
      const run = (scenarios: readonly Scenario[], review: boolean, timeoutMs?: number) =>
        runFailClosedKit((setting) => client.guard(setting, review), {
          scenarios,
          concurrency: CONCURRENCY,
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
        });
      for (const scenarios of [SCENARIOS, REVIEW_SCENARIOS]) {
        // On a busy machine an honest allow may arrive after the timeout, so these get more of it.
        const timely = scenarios.filter(
          ({ expect: wanted, says }) => wanted === 'executed' || says !== undefined,
        );
        const others = scenarios.filter((each) => !timely.includes(each));
        const isReview = scenarios === REVIEW_SCENARIOS;
        expect((await run(timely, isReview, 10_000)).failures).toEqual([]);
        expect((await run(others, isReview)).failures).toEqual([]);
      }
      expect(await client.close()).toBe(0);
    });
  }
});
