/** Nobody talks their way out of a rule: a million single changes, and every exception that the contract names. */
import { Worker } from 'node:worker_threads';
import { expect } from 'vitest';
import { testInPart } from '../../../scripts/in-part.ts';
import { EXCEPTIONS } from './talk-exceptions.ts';
import type { TalkOutcome } from './talk-out.ts';

const SEED = Number(process.env.WRITECHECK_SEED ?? 20_261_117);

testInPart(
  {
    // With fewer, not every exception is reached.
    part: 180_000,
    whole: 1_000_000,
    named: (count) =>
      `no single addition or omission of ${count} turns a pause or block into an allow (seed ${SEED})`,
  },
  async (wanted) => {
    // Vitest's form of the modules takes twice the processor time, so a thread runs the files themselves.
    const thread = new Worker(new URL('./talk-worker.ts', import.meta.url), {
      execArgv: ['--conditions=writecheck-source'],
    });
    const { changes, excused, first } = await new Promise<TalkOutcome>((resolve, reject) => {
      thread.once('message', resolve).once('error', reject);
      thread.postMessage({ seed: SEED, firstBundle: 0, changes: wanted });
    }).finally(() => thread.terminate());
    expect(first).toBeNull();
    expect(changes).toBeGreaterThanOrEqual(wanted);
    // An exception that excuses nothing is unnecessary or untested.
    expect(Object.keys(excused).sort()).toEqual(Object.keys(EXCEPTIONS).sort());
  },
);
