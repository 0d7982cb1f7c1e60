/** What a prune does with kept responses that contain decisions it empties. */
import { decisionsIn, type StoredAnswer } from '../port/commit.ts';

/** A kept response repeats the request; without it a repeated request is simply decided again. */
export function holdsAnyOf(response: Buffer, decisions: ReadonlySet<string>): boolean {
  return decisionsIn(response).some((id) => decisions.has(id));
}

/**
 * What the key stays bound to once its response is emptied; null if the key is forgotten with it. INVARIANT: the key of
 * an allow that was taken stays, because the write would otherwise be decided, and carried out, again.
 */
export function boundWithoutResponse(replayableWhile: string): string | null {
  const { taken } = (JSON.parse(replayableWhile) as StoredAnswer['replayableWhile']) ?? {};
  if (taken === undefined) return null;
  const over: StoredAnswer['replayableWhile'] = { validUntilMs: 0, policyRef: null, restsOn: [], taken };
  return JSON.stringify(over);
}
