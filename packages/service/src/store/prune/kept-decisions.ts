/** Which decisions a kept answer holds: one of a check, several of a batch, none of a redemption. */
const DECISION_ID = /"decision_id":"(dec_[0-9a-f]{32})"/g;

/** A kept answer repeats what was asked; without it a repeated request is simply decided again. */
export function holdsAnyOf(response: Buffer, decisions: ReadonlySet<string>): boolean {
  return [...response.toString('latin1').matchAll(DECISION_ID)].some(([, id]) => decisions.has(id!));
}
