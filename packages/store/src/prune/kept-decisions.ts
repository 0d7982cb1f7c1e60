/** Which decisions a kept response contains: one for a check, several for a batch, none for a redemption. */
import type { StoredAnswer } from '../port.ts';

const DECISION_ID = /"decision_id":"(dec_[0-9a-f]{32})"/g;

/** A kept response repeats the request; without it a repeated request is simply decided again. */
export function holdsAnyOf(response: Buffer, decisions: ReadonlySet<string>): boolean {
  return [...response.toString('latin1').matchAll(DECISION_ID)].some(([, id]) => decisions.has(id!));
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
