/** The tables of freezes and outcomes in PostgreSQL. */
export const TABLES_OF_STOPS = `
CREATE TABLE writecheck.freeze (
  workspace text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- As JSON.
  scope text NOT NULL,
  reason text NOT NULL,
  created_ms bigint NOT NULL,
  by_kind text NOT NULL,
  by_id text NOT NULL,
  until_ms bigint,
  lifted_ms bigint,
  -- As JSON.
  lifted_by text,
  lift_reason text,
  -- Whose places it takes.
  places text,
  request_key text COLLATE "C",
  request_digest text,
  PRIMARY KEY (workspace, number)
);
CREATE UNIQUE INDEX freeze_by_id ON writecheck.freeze (workspace, id);
CREATE UNIQUE INDEX freeze_by_request ON writecheck.freeze (workspace, request_key) WHERE request_key IS NOT NULL;
CREATE INDEX freeze_active ON writecheck.freeze (workspace, number) WHERE lifted_ms IS NULL;

-- Of the newest freeze or lift of each workspace: what a check was decided under must still be the newest.
CREATE TABLE writecheck.freeze_number (
  workspace text COLLATE "C" PRIMARY KEY,
  number bigint NOT NULL
);

-- What became of an allow, as its reporter says.
CREATE TABLE writecheck.outcome (
  workspace text COLLATE "C" NOT NULL,
  decision_id text COLLATE "C" NOT NULL,
  result text NOT NULL,
  at_ms bigint NOT NULL,
  recorded_ms bigint NOT NULL,
  by_kind text NOT NULL,
  by_id text NOT NULL,
  note text,
  ref text,
  PRIMARY KEY (workspace, decision_id)
);
`;

/**
 * Whoever knows freezes says so with everything it appends. A program that does not know them appends nothing while
 * one is active.
 */
export const REFUSE_UNAWARE = `
CREATE FUNCTION writecheck.refuse_unaware_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM writecheck.freeze WHERE lifted_ms IS NULL;
  IF FOUND THEN RAISE 'a freeze is active' USING ERRCODE = 'WC005'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse_unaware BEFORE UPDATE OF size ON writecheck.log FOR EACH ROW
  WHEN (NEW.size <> OLD.size AND NEW.knows_freezes = OLD.knows_freezes)
  EXECUTE FUNCTION writecheck.refuse_unaware_v1();
`;
