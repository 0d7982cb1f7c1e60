/** Removes or empties what idempotency keys keep of decisions that a prune empties. */
import { decisionIn, type ReplayableWhile } from '../port/commit.ts';

interface KeptRow {
  readonly replayable_while: string;
  readonly response: Uint8Array;
}

export function holdsAnyOf({ replayable_while, response }: KeptRow, decisions: ReadonlySet<string>): boolean {
  const id = response.length > 0 ? decisionIn(response) : takenIn(replayable_while)?.decisionId;
  return id !== undefined && decisions.has(id);
}

/**
 * What the key stays bound to once its response is emptied; null if the key is forgotten with it, because
 * nothing was allowed. INVARIANT: the key of an allow stays, because its write would otherwise be allowed, and
 * carried out, again.
 */
export function boundWithoutResponse({ replayable_while }: Pick<KeptRow, 'replayable_while'>): string | null {
  const allowed = JSON.parse(replayable_while) as ReplayableWhile;
  if (allowed === null) return null;
  const { taken } = allowed;
  const over: ReplayableWhile = {
    validUntilMs: 0,
    policyRef: null,
    restsOn: [],
    ...(taken && { taken: { decisionId: taken.decisionId, redeemedAt: taken.redeemedAt } }),
  };
  return JSON.stringify(over);
}

function takenIn(replayableWhile: string) {
  return (JSON.parse(replayableWhile) as ReplayableWhile)?.taken;
}
