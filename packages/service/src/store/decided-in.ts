/** Which decisions a kept answer holds: one of a check, several of a batch, none of a redemption. */
const DECISION_ID = /"decision_id":"(dec_[0-9a-f]{32})"/g;

export const decidedIn = (response: Buffer): readonly string[] =>
  [...response.toString('latin1').matchAll(DECISION_ID)].map(([, id]) => id!);
