/** The tables of limits in SQLite. */
export const TABLES_OF_LIMITS = `
-- What recorded allows have drawn. A place is a digest of the counter, then one of the group. The command
-- index rebuild makes the draws again from the log, and from what pruned holds: the window, and
-- those of them whose records were removed.
CREATE TABLE limit_draws (
  place BLOB PRIMARY KEY,
  texts TEXT NOT NULL,
  draws TEXT NOT NULL,
  until_ms INTEGER NOT NULL,
  pruned TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE INDEX limit_draws_by_end ON limit_draws (until_ms);

-- When the store was restored from a backup; at most one row.
CREATE TABLE limit_restored (
  restored_ms INTEGER NOT NULL
) STRICT;

-- A commit reads the running bundle without its documents.
CREATE INDEX policy_running ON policy (workspace, revision, digest, has_limits);
`;
