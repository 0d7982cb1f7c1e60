/** The kinds of decisions that each day has, so that a filter that finds nothing reads no decisions. */
import { KINDS_A_DAY } from '../index/decision-kinds.ts';

const DAY = '(at_ms / 86400000)::integer';
const HOUR = '1 << (at_ms / 3600000 % 24)::integer';
const ANY = "'00000000-0000-0000-0000-000000000000'::uuid";
const COLUMNS = 'key_id, decision, evaluated_decision, reason_code, system, workflow_id';

/**
 * A trigger, so that it also covers replicas that do not know the table yet. Days that were indexed before count as
 * "any kind" until the index is rebuilt.
 */
export const KINDS = `
-- hours has a bit for each hour; the values are null in the one row of a day that stands for any kind. Texts of any
-- length do not fit into a key; their hash does.
CREATE TABLE writecheck.decision_kind (
  workspace text NOT NULL,
  day integer NOT NULL,
  kind uuid NOT NULL,
  key_id text,
  decision text,
  evaluated_decision text,
  reason_code text,
  system text,
  workflow_id text,
  hours integer NOT NULL,
  PRIMARY KEY (workspace, day, kind)
);

CREATE FUNCTION writecheck.note_kinds_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Sorted, since another process may be noting the same days for another log.
  WITH added_kind AS (
    SELECT workspace, ${DAY} AS day, md5(ROW(${COLUMNS})::text)::uuid AS kind, ${COLUMNS}, bit_or(${HOUR}) AS hours
    FROM added GROUP BY workspace, ${DAY}, ${COLUMNS}
  ), kept AS (
    SELECT a.*, EXISTS (SELECT 1 FROM writecheck.decision_kind k
        WHERE k.workspace = a.workspace AND k.day = a.day AND k.kind = a.kind)
      OR (SELECT count(*) FROM writecheck.decision_kind k WHERE k.workspace = a.workspace AND k.day = a.day)
        < ${KINDS_A_DAY} AS is_kept
    FROM added_kind a
  )
  INSERT INTO writecheck.decision_kind AS k
    SELECT workspace, day, kind, ${COLUMNS}, hours FROM kept WHERE is_kept
    UNION ALL
    SELECT workspace, day, ${ANY}, null, null, null, null, null, null, bit_or(hours) FROM kept WHERE NOT is_kept
      GROUP BY workspace, day
    ORDER BY 1, 2, 3
  ON CONFLICT (workspace, day, kind) DO UPDATE SET hours = k.hours | excluded.hours;
  RETURN NULL;
END $$;
CREATE TRIGGER note_kinds AFTER INSERT ON writecheck.decision REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION writecheck.note_kinds_v1();
-- The trigger's lock has waited for whoever was indexing, so every indexed decision has its hour here.
INSERT INTO writecheck.decision_kind (workspace, day, kind, hours)
  SELECT workspace, (hour_ms / 86400000)::integer, ${ANY}, bit_or(1 << (hour_ms / 3600000 % 24)::integer)
  FROM writecheck.hourly GROUP BY 1, 2;
`;
