/** Impact runs, assessments, and how many decisions pruning has emptied. */
export const IMPACT = `
CREATE TABLE impact_run (
  workspace TEXT NOT NULL,
  id TEXT NOT NULL,
  state TEXT NOT NULL,
  started_ms INTEGER NOT NULL,
  finished_ms INTEGER,
  leased_until_ms INTEGER NOT NULL,
  because TEXT,
  digest TEXT,
  done INTEGER NOT NULL,
  total INTEGER NOT NULL,
  settings TEXT NOT NULL,
  report TEXT NOT NULL,
  PRIMARY KEY (workspace, id)
) STRICT;
-- INVARIANT: one run of a workspace at a time.
CREATE UNIQUE INDEX impact_run_running ON impact_run (workspace) WHERE state = 'running';
CREATE INDEX impact_run_by_start ON impact_run (started_ms);

CREATE TABLE assessment (
  workspace TEXT NOT NULL,
  id TEXT NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (workspace, id)
) STRICT;

CREATE TABLE pruned_day (
  workspace TEXT NOT NULL,
  day TEXT NOT NULL,
  decisions INTEGER NOT NULL,
  PRIMARY KEY (workspace, day)
) STRICT, WITHOUT ROWID;
`;
