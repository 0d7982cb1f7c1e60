/** What lets an interrupted prune continue, and keeps everybody from building on a log that lost its newest entries. */
export const RECOVERY = `
-- What a process knew to be recorded and the log lacks. Rows stay as history; restored_ms says when logs were continued.
CREATE TABLE writecheck.lost_entries (
  log text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  reported_ms bigint NOT NULL,
  restored_ms bigint,
  PRIMARY KEY (log, size)
);

-- Decisions that a prune of an object has emptied, until their redemptions and kept responses are gone too.
CREATE TABLE writecheck.forgotten_decision (
  workspace text COLLATE "C" NOT NULL,
  decision_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, decision_id)
);

-- A trigger, so that it holds for every way to append, and for replicas of earlier versions too.
CREATE FUNCTION writecheck.refuse_lost_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM writecheck.lost_entries WHERE restored_ms IS NULL;
  IF FOUND THEN RAISE 'entries of a log were lost' USING ERRCODE = 'WC004'; END IF;
  PERFORM 1 FROM writecheck.checkpoint c
    WHERE c.log = OLD.log AND (c.size > OLD.size OR (c.size = OLD.size AND c.frontier <> OLD.frontier));
  IF FOUND THEN RAISE 'the log lacks entries that were signed' USING ERRCODE = 'WC004'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse_lost BEFORE UPDATE OF size ON writecheck.log FOR EACH ROW
  WHEN (NEW.size <> OLD.size) EXECUTE FUNCTION writecheck.refuse_lost_v1();

-- As claim_log_v1, but the time of a new log follows open logs only: a log that was continued from an earlier time,
-- after a clock had been ahead, counts no longer.
CREATE FUNCTION writecheck.claim_log_v2(p_writer text, p_new_log text, p_lease interval)
RETURNS SETOF writecheck.log LANGUAGE plpgsql AS $$
DECLARE
  v_number integer;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('writecheck claim', 0));
  SELECT number INTO v_number FROM writecheck.log
    WHERE is_open AND (writer = p_writer OR leased_until < clock_timestamp())
    ORDER BY writer = p_writer DESC, number LIMIT 1;
  IF v_number IS NULL THEN
    INSERT INTO writecheck.log
      SELECT coalesce(max(number) + 1, 0), p_new_log, 0, '\\x0000000000000000',
        coalesce(max(newest_ms) FILTER (WHERE is_open), 0), true, p_writer, clock_timestamp() + p_lease
      FROM writecheck.log
      RETURNING number INTO v_number;
    INSERT INTO writecheck.indexed VALUES (v_number, 0);
  ELSE
    UPDATE writecheck.log SET writer = p_writer, leased_until = clock_timestamp() + p_lease WHERE number = v_number;
  END IF;
  RETURN QUERY SELECT * FROM writecheck.log WHERE number = v_number;
END $$;
`;
