/** Reviews in PostgreSQL: their tables, and the one statement that changes them together with the log. */

export const REVIEWS = `
-- place puts those that are open first, and a tag is what lists filter by.
CREATE TABLE writecheck.review (
  workspace text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  state text NOT NULL,
  place bigint NOT NULL,
  intent_digest text NOT NULL,
  key_kind text NOT NULL,
  system text NOT NULL,
  object_ref text,
  likeness text NOT NULL,
  control_ids text NOT NULL,
  asked_by text NOT NULL,
  first_asker text NOT NULL,
  opened_ms bigint NOT NULL,
  expires_ms bigint NOT NULL,
  resolved_ms bigint,
  document text NOT NULL,
  PRIMARY KEY (workspace, id)
);
-- INVARIANT: one review of a write and kind of key is open at a time.
CREATE UNIQUE INDEX review_open_of_write ON writecheck.review (workspace, intent_digest, key_kind) WHERE state = 'open';
CREATE INDEX review_open_of_key ON writecheck.review (workspace, first_asker) WHERE state = 'open';
CREATE INDEX review_open_by_expiry ON writecheck.review (expires_ms, id, opened_ms) WHERE state = 'open';
CREATE INDEX review_by_write ON writecheck.review (workspace, intent_digest, key_kind, opened_ms, id);
CREATE INDEX review_by_likeness ON writecheck.review (workspace, likeness, coalesce(resolved_ms, opened_ms), id);
CREATE INDEX review_by_asker ON writecheck.review (workspace, first_asker, opened_ms);

CREATE TABLE writecheck.review_tag (
  workspace text COLLATE "C" NOT NULL,
  tag text COLLATE "C" NOT NULL,
  place bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, tag, place, id)
);
CREATE INDEX review_tag_by_review ON writecheck.review_tag (workspace, id);

-- Rows, tags, revocations, log entries and the trail of changes, all or nothing. p_reviews holds rows as JSON: those of
-- version 1 are new, the others replace the version before theirs. WC002 undoes it all; its message is the outcome.
CREATE FUNCTION writecheck.change_reviews_v1(
  p_log integer, p_writer text, p_size bigint, p_lease interval, p_frontier bytea, p_newest_ms bigint,
  p_count integer, p_oldest_ms bigint, p_latest_ms bigint, p_leaf_hashes bytea, p_body bytea,
  p_node_levels integer[], p_node_numbers bigint[], p_node_hashes bytea[],
  p_reviews json, p_tags json, p_revoked json, p_limits json, p_changes_kept bigint, p_channel text,
  OUT status text
) LANGUAGE plpgsql AS $$
DECLARE
  v_review writecheck.review;
  v_rows bigint;
BEGIN
  PERFORM 1 FROM writecheck.log
    WHERE number = p_log AND writer = p_writer AND size = p_size AND is_open FOR NO KEY UPDATE;
  IF NOT FOUND THEN status := 'moved'; RETURN; END IF;

  -- Whoever opens a review in a workspace waits here, so that what is counted below stays so.
  PERFORM 1 FROM writecheck.workspace WHERE id IN (
    SELECT workspace FROM json_populate_recordset(NULL::writecheck.review, p_reviews) WHERE version = 1)
    ORDER BY id FOR NO KEY UPDATE;
  FOR v_review IN SELECT * FROM json_populate_recordset(NULL::writecheck.review, p_reviews)
    WHERE version > 1 ORDER BY workspace, id
  LOOP
    UPDATE writecheck.review SET version = v_review.version, state = v_review.state, place = v_review.place,
      intent_digest = v_review.intent_digest, key_kind = v_review.key_kind, system = v_review.system,
      object_ref = v_review.object_ref, likeness = v_review.likeness, control_ids = v_review.control_ids,
      asked_by = v_review.asked_by, first_asker = v_review.first_asker, opened_ms = v_review.opened_ms,
      expires_ms = v_review.expires_ms, resolved_ms = v_review.resolved_ms, document = v_review.document
      WHERE workspace = v_review.workspace AND id = v_review.id AND version = v_review.version - 1;
    IF NOT FOUND THEN RAISE 'conflict' USING ERRCODE = 'WC002'; END IF;
  END LOOP;

  FOR v_review IN SELECT * FROM json_populate_recordset(NULL::writecheck.review, p_reviews)
    WHERE version = 1 ORDER BY workspace, id
  LOOP
    INSERT INTO writecheck.review SELECT v_review.* ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows <> 1 THEN RAISE 'conflict' USING ERRCODE = 'WC002'; END IF;
    CONTINUE WHEN p_limits IS NULL;
    SELECT count(*) INTO v_rows FROM writecheck.review WHERE workspace = v_review.workspace
      AND first_asker = v_review.first_asker AND state = 'open';
    IF v_rows > (p_limits ->> 'openOfKeyMax')::bigint THEN RAISE 'open_of_key' USING ERRCODE = 'WC002'; END IF;
    SELECT count(*) INTO v_rows FROM writecheck.review WHERE workspace = v_review.workspace
      AND first_asker = v_review.first_asker AND opened_ms > (p_limits ->> 'sinceMs')::bigint;
    IF v_rows > (p_limits ->> 'openedOfKeyMax')::bigint THEN RAISE 'opened_of_key' USING ERRCODE = 'WC002'; END IF;
    SELECT count(*) INTO v_rows FROM writecheck.review WHERE workspace = v_review.workspace AND state = 'open';
    IF v_rows > (p_limits ->> 'openOfWorkspaceMax')::bigint THEN
      RAISE 'open_of_workspace' USING ERRCODE = 'WC002';
    END IF;
  END LOOP;

  DELETE FROM writecheck.review_tag t USING json_populate_recordset(NULL::writecheck.review, p_reviews) r
    WHERE t.workspace = r.workspace AND t.id = r.id;
  INSERT INTO writecheck.review_tag SELECT * FROM json_populate_recordset(NULL::writecheck.review_tag, p_tags);
  INSERT INTO writecheck.revoked_attestation
    SELECT * FROM json_populate_recordset(NULL::writecheck.revoked_attestation, p_revoked) ON CONFLICT DO NOTHING;
  PERFORM writecheck.append_v1(p_log, p_lease, p_frontier, p_newest_ms, p_count, p_oldest_ms, p_latest_ms,
    p_leaf_hashes, p_body, p_node_levels, p_node_numbers, p_node_hashes);

  -- Last: from here to the end every other change waits.
  FOR v_review IN SELECT * FROM json_populate_recordset(NULL::writecheck.review, p_reviews) LOOP
    WITH next AS (UPDATE writecheck.change_count SET newest = newest + 1 RETURNING newest)
      INSERT INTO writecheck.change SELECT newest, 'review', v_review.workspace, v_review.id FROM next;
  END LOOP;
  DELETE FROM writecheck.change
    WHERE number <= (SELECT newest - p_changes_kept FROM writecheck.change_count);
  PERFORM pg_notify(p_channel, '');
  status := 'changed';
END $$;
`;
