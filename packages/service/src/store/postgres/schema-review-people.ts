/** Reviews decided by people in PostgreSQL: a change of reviews that waits for changes of the people it rests on. */

export const REVIEW_PEOPLE = `
-- As change_reviews_v1, if everybody in p_people (a list of id and version as JSON) is as the caller saw them.
CREATE FUNCTION writecheck.change_reviews_v2(
  p_log integer, p_writer text, p_size bigint, p_lease interval, p_frontier bytea, p_newest_ms bigint,
  p_count integer, p_oldest_ms bigint, p_latest_ms bigint, p_leaf_hashes bytea, p_body bytea,
  p_node_levels integer[], p_node_numbers bigint[], p_node_hashes bytea[],
  p_reviews json, p_tags json, p_revoked json, p_limits json, p_changes_kept bigint, p_channel text, p_people json,
  OUT status text
) LANGUAGE plpgsql AS $$
DECLARE
  v_changed boolean;
BEGIN
  PERFORM 1 FROM writecheck.log
    WHERE number = p_log AND writer = p_writer AND size = p_size AND is_open FOR NO KEY UPDATE;
  IF NOT FOUND THEN status := 'moved'; RETURN; END IF;
  -- Whoever changes a person holds this row, in the same order of locks: after the log, before the person.
  PERFORM 1 FROM writecheck.workspace WHERE id IN (
    SELECT workspace FROM json_populate_recordset(NULL::writecheck.review, p_reviews)) ORDER BY id FOR NO KEY UPDATE;
  SELECT count(*) <> json_array_length(p_people) INTO v_changed
    FROM json_to_recordset(p_people) AS seen (id text, version bigint) JOIN writecheck.person USING (id, version);
  IF v_changed THEN RAISE 'conflict' USING ERRCODE = 'WC002'; END IF;
  status := writecheck.change_reviews_v1(p_log, p_writer, p_size, p_lease, p_frontier, p_newest_ms, p_count,
    p_oldest_ms, p_latest_ms, p_leaf_hashes, p_body, p_node_levels, p_node_numbers, p_node_hashes, p_reviews, p_tags,
    p_revoked, p_limits, p_changes_kept, p_channel);
END $$;
`;
