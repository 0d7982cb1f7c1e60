/** Spreads the differential test over threads and gathers what they found. */
import { Worker } from 'node:worker_threads';
import { addHits } from './coverage.ts';
import { INTENTS_PER_BUNDLE, type Outcome } from './differential.ts';

const BUNDLES_PER_STRETCH = 200;

export interface Order {
  readonly seed: number;
  readonly cases: number;
  readonly threads: number;
  readonly onProgress?: (outcome: Outcome) => void;
}

export async function runInThreads({ seed, cases, threads, onProgress }: Order): Promise<Outcome> {
  const bundles = Math.ceil(cases / INTENTS_PER_BUNDLE);
  let nextBundle = 0;
  let total: Outcome = { cases: 0, hits: {}, difference: null };

  const runThread = async (): Promise<void> => {
    const worker = new Worker(new URL('./differential-worker.ts', import.meta.url), {
      execArgv: ['--conditions=writecheck-source'],
    });
    try {
      while (nextBundle < bundles && total.difference === null) {
        const firstBundle = nextBundle;
        nextBundle += BUNDLES_PER_STRETCH;
        const stretch = { seed, firstBundle, bundles: Math.min(BUNDLES_PER_STRETCH, bundles - firstBundle) };
        const outcome = await new Promise<Outcome>((resolve, reject) => {
          worker.once('message', resolve).once('error', reject);
          worker.postMessage(stretch);
        });
        worker.removeAllListeners('error');
        total = {
          cases: total.cases + outcome.cases,
          hits: addHits(total.hits, outcome.hits),
          difference: total.difference ?? outcome.difference,
        };
        onProgress?.(total);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: threads }, runThread));
  return total;
}
