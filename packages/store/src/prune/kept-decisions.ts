/** Which decisions a kept response contains: one for a check, several for a batch, none for a redemption. */
const DECISION_ID = /"decision_id":"(dec_[0-9a-f]{32})"/g;

/** A kept response repeats the request; without it a repeated request is simply decided again. */
export function holdsAnyOf(response: Buffer, decisions: ReadonlySet<string>): boolean {
  return [...response.toString('latin1').matchAll(DECISION_ID)].some(([, id]) => decisions.has(id!));
}
