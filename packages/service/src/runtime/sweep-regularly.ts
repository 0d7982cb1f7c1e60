/** Deletes expired rows as fast as they arrive, a batch at a time. */
import type { Store } from '@writecheck/store/port';
import { errorFields } from '../support/observability/described-error.ts';
import type { Log } from '../support/observability/log.ts';

const LOOK_EVERY_MS = 10_000;
/**
 * While there is more to delete, the sweep rests this many times as long as its last batch took, so that commits go
 * first.
 */
const REST_FACTOR = 2;

/** Returns a function that stops it. */
export function sweepRegularly(store: Pick<Store, 'sweep'>, log: Log, clock: () => number): () => void {
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const after = (waitMs: number): void => {
    if (isStopped) return;
    timer = setTimeout(() => void round(), waitMs);
    timer.unref();
  };
  async function round(): Promise<void> {
    let waitMs = LOOK_EVERY_MS;
    try {
      const startedMs = performance.now();
      const removed = await store.sweep(clock());
      // Another replica may be sweeping too, so a batch that is not full does not mean that nothing is left.
      if (removed > 0) waitMs = (performance.now() - startedMs) * REST_FACTOR;
    } catch (error) {
      log.warn(errorFields(error), 'expired rows could not be deleted');
    }
    after(waitMs);
  }
  after(LOOK_EVERY_MS);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
