/** The tables of erasures in PostgreSQL. */
export const TABLES_OF_ERASURE = `
-- Decisions that were erased by their ids; settled once nothing that follows them is left.
CREATE TABLE writecheck.erased_decision (
  workspace text COLLATE "C" NOT NULL,
  decision_id text COLLATE "C" NOT NULL,
  is_settled boolean NOT NULL,
  PRIMARY KEY (workspace, decision_id)
);
CREATE INDEX erased_unsettled ON writecheck.erased_decision (workspace) WHERE NOT is_settled;

-- Everything of the workspace that was decided earlier was erased.
CREATE TABLE writecheck.erased_before (
  workspace text COLLATE "C" PRIMARY KEY,
  before_ms bigint NOT NULL
);
`;
