/** What lets an interrupted prune continue. */
export const RECOVERY = `
-- Decisions that a prune of an object has emptied, until their redemptions and kept responses are gone too.
CREATE TABLE forgotten_decision (
  workspace TEXT NOT NULL,
  decision_id TEXT NOT NULL,
  PRIMARY KEY (workspace, decision_id)
) STRICT, WITHOUT ROWID;
`;
