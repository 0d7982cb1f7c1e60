/** Names an erasure in the log before anything is removed. */
import type { Erasure, ErasurePart, Prunable } from '../port/erasures.ts';

/** How many ids one entry names: an entry of some 20 kB. */
const NAMED_MAX = 500;

/** One after the other: each is a separate commit, so that a large erasure delays no check. */
export async function traceFound(
  traceErasure: (erasure: Erasure, part: ErasurePart) => Promise<boolean>,
  found: Prunable,
  erasure: Erasure,
): Promise<void> {
  for (const part of partsOf(found)) {
    // INVARIANT: nothing is erased without its entry. The row of a deleted workspace stays, so this one never existed.
    if (!(await traceErasure(erasure, part))) throw new TypeError(`there is no workspace ${part.workspace}`);
  }
}

function partsOf(found: Prunable): readonly ErasurePart[] {
  const { workspace, chosenBy, only, traced, counts } = found;
  const beforeMs = found.beforeMs ?? null;
  const parts: ErasurePart[] = [];
  if (only === null) {
    if (beforeMs === null) throw new TypeError('a prune that chooses nothing needs a time');
    for (const [owner, { entries: entryCount, decisions: decisionCount }] of counts)
      parts.push({
        workspace: owner,
        chosenBy,
        beforeMs,
        decisions: null,
        reviews: null,
        decisionCount,
        entryCount,
      });
    return parts;
  }
  const decisions = [...only.decisions].filter((id) => !traced.has(id));
  const reviews = [...only.reviews];
  for (let from = 0; from < Math.max(decisions.length, reviews.length); from += NAMED_MAX) {
    const named = decisions.slice(from, from + NAMED_MAX);
    parts.push({
      workspace: workspace!,
      chosenBy,
      beforeMs,
      decisions: named,
      reviews: reviews.slice(from, from + NAMED_MAX),
      decisionCount: named.length,
      // The first entry counts everything that the erasure removes.
      entryCount: from === 0 ? (counts.get(workspace!)?.entries ?? 0) : 0,
    });
  }
  return parts;
}
