/** Finds the logs of a store that continue another log: each begins with an entry that says so. */
import { parseEntry } from '@writecheck/ledger/log';
import type { Store } from '@writecheck/store/port';

type LogStore = Pick<Store, 'logs' | 'segments'>;

/** Remembers its findings, because a log's first entry never changes. */
export function continuationReader(store: LogStore): () => Promise<readonly string[]> {
  const known = new Map<string, boolean>();
  return async () => {
    for (const { log, size } of await store.logs()) {
      if (size === 0 || known.has(log)) continue;
      const [first] = await store.segments(log, 0, 1);
      const entry = first === undefined ? null : parseEntry(first.entries[0]!.leaf);
      known.set(log, entry?.kind === 'continuation');
    }
    return [...known].filter(([, isContinuation]) => isContinuation).map(([log]) => log);
  };
}
