/** How many entries a prune would empty, without emptying any. */
import { parseEntry, recordedIntent } from '@writecheck/ledger';
import type { Decisions, PruneQuery, Segment } from '../store/port.ts';

const SEGMENTS_AT_ONCE = 16;

type Readable = Pick<Decisions, 'logs' | 'segments'>;

export async function countPrunable(store: Readable, query: PruneQuery): Promise<number> {
  const { objectRef } = query;
  let count = 0;
  const decisions = new Set<string>();
  const redeemed: string[] = [];
  for await (const { entry, record } of namedEntries(store, query)) {
    if (objectRef === undefined) count += 1;
    // A redemption may stand in a log that is read before the one with its decision.
    else if (entry.kind === 'redemption') redeemed.push(entry.decision_id);
    else if (recordedIntent(record).objectRef === objectRef) decisions.add(entry.leaf.decision_id);
  }
  return count + decisions.size + redeemed.filter((id) => decisions.has(id)).length;
}

/** Decisions and redemptions of the workspace and the time that the query names. */
async function* namedEntries(store: Readable, { workspace, beforeMs }: PruneQuery) {
  for await (const { leaf, record } of entriesOf(store)) {
    const entry = leaf.length === 0 ? null : parseEntry(leaf);
    if (entry === null || entry.kind === 'continuation') continue;
    const { workspace: owner, timestamp } = entry.kind === 'decision' ? entry.leaf : entry;
    if (workspace !== undefined && owner !== workspace) continue;
    if (beforeMs !== undefined && Date.parse(timestamp) >= beforeMs) continue;
    yield { entry, record };
  }
}

async function* entriesOf(store: Readable): AsyncGenerator<Segment['entries'][number]> {
  for (const { log, size } of await store.logs()) {
    for (let at = 0; at < size; ) {
      const segments = await store.segments(log, at, SEGMENTS_AT_ONCE);
      if (segments.length === 0) break;
      for (const { firstIndex, entries } of segments) {
        yield* entries;
        at = firstIndex + entries.length;
      }
    }
  }
}
