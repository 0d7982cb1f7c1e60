/** Impact runs in PostgreSQL: their tables, and the one statement that finishes a run together with the log. */
export const IMPACT = `
CREATE TABLE writecheck.impact_run (
  workspace text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  state text NOT NULL,
  started_ms bigint NOT NULL,
  finished_ms bigint,
  leased_until_ms bigint NOT NULL,
  because text,
  digest text,
  done bigint NOT NULL,
  total bigint NOT NULL,
  settings text NOT NULL,
  report text NOT NULL,
  PRIMARY KEY (workspace, id)
);
-- INVARIANT: one run of a workspace at a time.
CREATE UNIQUE INDEX impact_run_running ON writecheck.impact_run (workspace) WHERE state = 'running';
CREATE INDEX impact_run_by_start ON writecheck.impact_run (started_ms);

CREATE TABLE writecheck.assessment (
  workspace text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  document text NOT NULL,
  PRIMARY KEY (workspace, id)
);

CREATE TABLE writecheck.pruned_day (
  workspace text COLLATE "C" NOT NULL,
  day text COLLATE "C" NOT NULL,
  decisions bigint NOT NULL,
  PRIMARY KEY (workspace, day)
);

-- Leases go by the server's clock, which all replicas share.
CREATE FUNCTION writecheck.lease_now_v1() RETURNS bigint LANGUAGE sql AS $$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;

-- The run's last state, its assessment where there is one, and its log entries, all or nothing.
CREATE FUNCTION writecheck.finish_run_v1(
  p_log integer, p_writer text, p_size bigint, p_lease interval, p_frontier bytea, p_newest_ms bigint,
  p_count integer, p_oldest_ms bigint, p_latest_ms bigint, p_leaf_hashes bytea, p_body bytea,
  p_node_levels integer[], p_node_numbers bigint[], p_node_hashes bytea[],
  p_workspace text, p_id text, p_finished_ms bigint, p_done bigint, p_total bigint, p_settings text, p_report text,
  p_digest text, p_assessment_id text, p_assessment text,
  OUT status text
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM writecheck.log
    WHERE number = p_log AND writer = p_writer AND size = p_size AND is_open FOR NO KEY UPDATE;
  IF NOT FOUND THEN status := 'moved'; RETURN; END IF;
  UPDATE writecheck.impact_run SET state = 'done', finished_ms = p_finished_ms, done = p_done, total = p_total,
    settings = p_settings, report = p_report, digest = p_digest
    WHERE workspace = p_workspace AND id = p_id AND state = 'running'
      AND leased_until_ms >= writecheck.lease_now_v1();
  IF NOT FOUND THEN status := 'lost'; RETURN; END IF;
  IF p_assessment_id IS NOT NULL THEN
    INSERT INTO writecheck.assessment VALUES (p_workspace, p_assessment_id, p_assessment);
  END IF;
  PERFORM writecheck.append_v1(p_log, p_lease, p_frontier, p_newest_ms, p_count, p_oldest_ms, p_latest_ms,
    p_leaf_hashes, p_body, p_node_levels, p_node_numbers, p_node_hashes);
  status := 'finished';
END $$;
`;
