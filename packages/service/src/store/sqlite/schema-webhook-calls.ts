/** Tests and redeliveries in SQLite: how many a workspace sent in its current window, over all processes. */

export const WEBHOOK_CALLS = `
CREATE TABLE webhook_call (
  workspace TEXT PRIMARY KEY,
  since_ms INTEGER NOT NULL,
  calls INTEGER NOT NULL
) STRICT;
`;
