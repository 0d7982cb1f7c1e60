/** Nobody talks their way out of a rule: a hundred million single changes, on every core. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { TalkOutcome } from './talk-out.ts';

const WHOLE_CHANGES = 100_000_000;
const CHANGES_PER_STRETCH = 500_000;
/** More bundles than a stretch can need, so that no two stretches try the same one. */
const BUNDLES_PER_STRETCH = 100_000;

export async function torture(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: { changes: { type: 'string' }, seed: { type: 'string' } },
  });
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  const whole = Number(values.changes ?? WHOLE_CHANGES);
  const stretches = Math.ceil(whole / CHANGES_PER_STRETCH);
  let next = 0;
  let changes = 0;
  const faults: string[] = [];
  const runThread = async (): Promise<void> => {
    const worker = new Worker(new URL('./talk-worker.ts', import.meta.url), {
      execArgv: ['--conditions=writecheck-source'],
    });
    try {
      while (next < stretches && faults.length === 0) {
        const firstBundle = next * BUNDLES_PER_STRETCH;
        next += 1;
        const outcome = await new Promise<TalkOutcome>((resolve, reject) => {
          worker.once('message', resolve).once('error', reject);
          worker.postMessage({ seed, firstBundle, changes: Math.min(CHANGES_PER_STRETCH, whole) });
        });
        worker.removeAllListeners('error');
        changes += outcome.changes;
        if (outcome.first !== null) faults.push(JSON.stringify(outcome.first, null, 1));
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, runThread));
  return {
    claim: 'no single addition or omission turns a pause or block into an allow',
    count: `${changes} changes`,
    seed: String(seed),
    faults,
  };
}
