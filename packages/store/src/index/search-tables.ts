/** The tables of the search index that are the same in both databases, in the form of `tables/schema.ts`. */

/** `workspace` is the column type for the workspace. */
export function searchTables(workspace: 'text' | 'bigint'): string {
  return `
CREATE TABLE writecheck.decision (
  position bigint PRIMARY KEY,
  workspace ${workspace} NOT NULL,
  at_ms bigint NOT NULL,
  decision_id text NOT NULL,
  audit_id text NOT NULL,
  key_id text NOT NULL,
  timestamp text NOT NULL,
  decision text NOT NULL,
  evaluated_decision text NOT NULL,
  reason_code text NOT NULL,
  system text NOT NULL,
  object_type text,
  object_ref text,
  field text,
  operation text,
  workflow_id text,
  run_id text,
  valid_until_ms bigint
);
-- Every index costs each record something, so there is one only if a value selects few records of many. Most
-- decisions are allows: other decisions have separate indexes, allows are found by time.
CREATE INDEX decision_by_decision ON writecheck.decision (workspace, decision, at_ms) WHERE decision <> 'allow';
CREATE INDEX decision_by_reason ON writecheck.decision (workspace, reason_code, at_ms) WHERE decision <> 'allow';
CREATE INDEX decision_by_workflow ON writecheck.decision (workspace, workflow_id, at_ms) WHERE workflow_id IS NOT NULL;
CREATE INDEX decision_by_run ON writecheck.decision (workspace, run_id, at_ms) WHERE run_id IS NOT NULL;
CREATE INDEX decision_by_warning ON writecheck.decision (workspace, at_ms) WHERE evaluated_decision <> decision;

-- The kinds of decisions that a day has, by their hash; hours has a bit for each hour. A row of empty texts stands for any.
CREATE TABLE writecheck.decision_kind (
  workspace ${workspace} NOT NULL,
  day integer NOT NULL,
  kind text NOT NULL,
  key_id text NOT NULL,
  decision text NOT NULL,
  evaluated_decision text NOT NULL,
  reason_code text NOT NULL,
  system text NOT NULL,
  workflow_id text NOT NULL,
  hours integer NOT NULL,
  PRIMARY KEY (workspace, day, kind)
) WITHOUT ROWID;

CREATE TABLE writecheck.hourly (
  workspace ${workspace} NOT NULL,
  hour_ms bigint NOT NULL,
  allow bigint NOT NULL,
  pause bigint NOT NULL,
  block bigint NOT NULL,
  warned bigint NOT NULL,
  PRIMARY KEY (workspace, hour_ms)
) WITHOUT ROWID;

CREATE TABLE writecheck.daily (
  workspace ${workspace} NOT NULL,
  day text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  checks bigint NOT NULL,
  PRIMARY KEY (workspace, day, key_id)
) WITHOUT ROWID;
`;
}
