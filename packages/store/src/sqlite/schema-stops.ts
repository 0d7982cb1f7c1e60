/** The tables of freezes and outcomes in SQLite. */
export const TABLES_OF_STOPS = `
CREATE TABLE freeze (
  workspace TEXT NOT NULL,
  number INTEGER NOT NULL,
  id TEXT NOT NULL,
  -- As JSON.
  scope TEXT NOT NULL,
  reason TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  by_kind TEXT NOT NULL,
  by_id TEXT NOT NULL,
  until_ms INTEGER,
  lifted_ms INTEGER,
  -- As JSON.
  lifted_by TEXT,
  lift_reason TEXT,
  -- Whose places it takes.
  places TEXT,
  request_key TEXT,
  request_digest TEXT,
  PRIMARY KEY (workspace, number)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX freeze_by_id ON freeze (workspace, id);
CREATE UNIQUE INDEX freeze_by_request ON freeze (workspace, request_key) WHERE request_key IS NOT NULL;
CREATE INDEX freeze_active ON freeze (workspace, number) WHERE lifted_ms IS NULL;

-- Of the newest freeze or lift of each workspace: what a check was decided under must still be the newest.
CREATE TABLE freeze_number (
  workspace TEXT PRIMARY KEY,
  number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What became of an allow, as its reporter says.
CREATE TABLE outcome (
  workspace TEXT NOT NULL,
  decision_id TEXT NOT NULL,
  result TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  recorded_ms INTEGER NOT NULL,
  by_kind TEXT NOT NULL,
  by_id TEXT NOT NULL,
  note TEXT,
  ref TEXT,
  PRIMARY KEY (workspace, decision_id)
) STRICT, WITHOUT ROWID;

-- Whoever knows freezes says so with everything it appends. A program that does not know them appends nothing while one is active.
CREATE TRIGGER refuse_unaware BEFORE UPDATE OF size ON log
  WHEN NEW.size <> OLD.size AND NEW.knows_freezes = OLD.knows_freezes
    AND EXISTS (SELECT 1 FROM freeze WHERE lifted_ms IS NULL)
  BEGIN SELECT RAISE(ABORT, 'a freeze is active'); END;
`;
