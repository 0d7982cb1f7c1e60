/** The tables of limits in PostgreSQL. */
export const TABLES_OF_LIMITS = `
-- What recorded allows have drawn. A place is a digest of the counter, then one of the group. The command
-- index rebuild makes the draws again from the log, and from what pruned holds: the window, and
-- those of them whose records were removed.
CREATE TABLE writecheck.limit_draws (
  place bytea PRIMARY KEY,
  texts text NOT NULL,
  draws text NOT NULL,
  until_ms bigint NOT NULL,
  pruned text NOT NULL DEFAULT ''
) WITH (fillfactor = 80);
CREATE INDEX limit_draws_by_end ON writecheck.limit_draws (until_ms);

-- When the store was restored from a backup; at most one row.
CREATE TABLE writecheck.limit_restored (
  restored_ms bigint NOT NULL
);
`;
