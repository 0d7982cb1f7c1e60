/** Rebuilds the search index on the thread that fills it. */
import type { Progress } from '../port/log.ts';
import type { ThreadCalls } from '../threads/thread-calls.ts';

export interface IndexStep {
  readonly indexed: number;
  readonly total: number;
}

export async function rebuildIndex(indexer: ThreadCalls, progress?: Progress): Promise<number> {
  await indexer.call('clearIndex');
  // Chasing the moving end of a busy log would never finish.
  for (let target: number | null = null; ; ) {
    const { indexed, total } = (await indexer.call('indexStep')) as IndexStep;
    target ??= total;
    progress?.(Math.min(indexed, target), target);
    if (indexed >= target) return indexed;
  }
}
