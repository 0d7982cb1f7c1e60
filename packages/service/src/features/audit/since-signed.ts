/**
 * How long the newest state of the log has lacked a signature, whichever thread or process signs it, or this one has
 * failed to keep it.
 */
import type { Store } from '@writecheck/store/port';

export function sinceSigned(
  store: Pick<Store, 'log' | 'logs' | 'newestCheckpoint'>,
  failingForMs: () => number,
): () => Promise<number> {
  let signedAtMs = performance.now();
  let signedSize = -1;
  return async () => {
    try {
      const { log } = store;
      const head = (await store.logs()).find((each) => each.log === log);
      const size = (await store.newestCheckpoint(log))?.size ?? 0;
      // Under load the log is always a little ahead of its newest signature, which then moves.
      if (size >= (head?.size ?? 0) || size !== signedSize) signedAtMs = performance.now();
      signedSize = size;
    } catch {
      // A process that cannot read the store cannot sign its log either.
    }
    return Math.max(performance.now() - signedAtMs, failingForMs());
  };
}
