/** Tests and redeliveries in PostgreSQL: how many a workspace sent in its current window, over all processes. */

export const WEBHOOK_CALLS = `
CREATE TABLE writecheck.webhook_call (
  workspace text COLLATE "C" PRIMARY KEY,
  since_ms bigint NOT NULL,
  calls integer NOT NULL
);
`;
