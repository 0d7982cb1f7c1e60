/** The Python client against the fail-closed kit: the same program and list as the TypeScript client. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { REVIEW_SCENARIOS, SCENARIOS } from '@writecheck/client/fail-closed-kit';
import { describe, expect, it } from 'vitest';
import { python, pythonEnvironment, TESTS } from './python.ts';

const KIT = join(import.meta.dirname, '../../../packages/client/bin/writecheck-kit.js');
const COUNT = SCENARIOS.length + REVIEW_SCENARIOS.length;

describe.skipIf(python === undefined)('the Python client against the fail-closed kit', () => {
  // The blocking client is generated from the asynchronous one, so its run repeats this one.
  for (const way of ['asyncio', 'sync']) {
    const options = { timeout: 120_000, tags: way === 'sync' ? ['nightly'] : [] };
    it(`${way}: writes in exactly the scenarios that are a valid allow`, options, async () => {
      const args = [KIT, '--', python!, join(TESTS, 'kit_driver.py'), way];
      const output = await new Promise<string>((resolve) => {
        execFile(process.execPath, args, { env: pythonEnvironment }, (_error, stdout, stderr) =>
          resolve(stdout + stderr),
        );
      });
      expect(output).toBe(`PASS  ${COUNT} scenarios, ${COUNT} passed, 0 failed\n`);
    });
  }
});
