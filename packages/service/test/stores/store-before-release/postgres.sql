CREATE SCHEMA writecheck;
CREATE TABLE writecheck.migration (number integer PRIMARY KEY, done_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE writecheck.workspace (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  name text NOT NULL,
  created_ms bigint NOT NULL,
  live_granted boolean NOT NULL
);

CREATE TABLE writecheck.api_key (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  workspace text NOT NULL REFERENCES writecheck.workspace (id),
  kind text NOT NULL CHECK (kind IN ('development', 'live', 'owner')),
  name text NOT NULL,
  hash text NOT NULL UNIQUE,
  hint text NOT NULL,
  created_ms bigint NOT NULL,
  expires_ms bigint,
  last_used_ms bigint,
  revoked_ms bigint,
  allowed_systems text,
  allowed_workflows text
);
CREATE INDEX api_key_by_workspace ON writecheck.api_key (workspace);

-- One log for each writer. Whoever stands in writer may append until leased_until, and longer if nobody takes it over.
-- Rows are rewritten with every commit, in place as long as their page has room.
CREATE TABLE writecheck.log (
  number integer PRIMARY KEY,
  log text NOT NULL UNIQUE,
  size bigint NOT NULL,
  frontier bytea NOT NULL,
  newest_ms bigint NOT NULL,
  is_open boolean NOT NULL,
  writer text NOT NULL,
  leased_until timestamptz NOT NULL
) WITH (fillfactor = 20);

-- The truth: one row per commit, by the position of its first record. A record's time lies from oldest_ms to
-- latest_ms, which are hardly ever far apart; those few have an index of their own.
CREATE TABLE writecheck.segment (
  position bigint PRIMARY KEY,
  count integer NOT NULL,
  oldest_ms bigint NOT NULL,
  latest_ms bigint NOT NULL,
  leaf_hashes bytea NOT NULL,
  body bytea NOT NULL
);
-- What is large comes compressed already.
ALTER TABLE writecheck.segment ALTER COLUMN body SET STORAGE EXTERNAL, ALTER COLUMN leaf_hashes SET STORAGE EXTERNAL;
CREATE INDEX segment_by_time ON writecheck.segment (latest_ms, oldest_ms);
CREATE INDEX segment_long ON writecheck.segment (latest_ms) WHERE latest_ms - oldest_ms > 30000;

-- Counted by the writer where there is no limit, so that nobody waits for anybody; under log -1 where there is one.
CREATE TABLE writecheck.usage (
  workspace text NOT NULL,
  period text NOT NULL,
  kind text NOT NULL,
  log integer NOT NULL,
  used bigint NOT NULL,
  PRIMARY KEY (workspace, period, kind, log)
) WITH (fillfactor = 50);

CREATE TABLE writecheck.idempotency (
  workspace text NOT NULL,
  key text NOT NULL,
  request_digest text NOT NULL,
  claimed_ms bigint NOT NULL,
  expires_ms bigint NOT NULL,
  replayable_while text NOT NULL,
  response bytea NOT NULL,
  PRIMARY KEY (workspace, key)
);
CREATE INDEX idempotency_by_expiry ON writecheck.idempotency (expires_ms);

CREATE TABLE writecheck.consumed_attestation (
  workspace text NOT NULL,
  source text NOT NULL,
  jti text NOT NULL,
  PRIMARY KEY (workspace, source, jti)
);

CREATE TABLE writecheck.revoked_attestation (
  workspace text NOT NULL,
  source text NOT NULL,
  jti text NOT NULL,
  revoked_ms bigint NOT NULL,
  PRIMARY KEY (workspace, source, jti)
);

CREATE TABLE writecheck.policy (
  workspace text NOT NULL REFERENCES writecheck.workspace (id),
  revision bigint NOT NULL,
  digest text NOT NULL,
  documents text NOT NULL,
  author_key text,
  created_ms bigint NOT NULL,
  rollback_of bigint,
  PRIMARY KEY (workspace, revision)
);

CREATE TABLE writecheck.redemption (
  workspace text NOT NULL,
  decision_id text NOT NULL,
  key_id text NOT NULL,
  redeemed_ms bigint NOT NULL,
  idempotency_key text,
  PRIMARY KEY (workspace, decision_id)
);

-- What caches in every process must forget; only the newest rows are kept. They are numbered under the lock of the
-- one row of change_count, so that a later number never becomes visible before an earlier one.
CREATE TABLE writecheck.change (
  number bigint PRIMARY KEY,
  kind text NOT NULL,
  workspace text NOT NULL,
  subject text NOT NULL
);
CREATE TABLE writecheck.change_count (newest bigint NOT NULL);
INSERT INTO writecheck.change_count VALUES (0);

-- Roots of the complete subtrees of 256 leaves, of 256 times as many, and so on.
CREATE TABLE writecheck.node (
  log integer NOT NULL,
  level integer NOT NULL,
  number bigint NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (log, level, number)
);

-- The newest one of each log, by its name.
CREATE TABLE writecheck.checkpoint (
  log text PRIMARY KEY,
  size bigint NOT NULL,
  note text NOT NULL,
  frontier bytea NOT NULL
);

CREATE TABLE writecheck.verifier_key (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  line text NOT NULL UNIQUE,
  published_ms bigint NOT NULL
);

-- The search index: derived from the segments, and how far it has come with each log.
CREATE TABLE writecheck.indexed (
  log integer PRIMARY KEY,
  size bigint NOT NULL
);
CREATE TABLE writecheck.decision (
  position bigint PRIMARY KEY,
  workspace text NOT NULL,
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
  run_id text
);
CREATE INDEX decision_by_time ON writecheck.decision (workspace, at_ms, position);
CREATE INDEX decision_by_decision ON writecheck.decision (workspace, decision, at_ms) WHERE decision <> 'allow';
CREATE INDEX decision_by_reason ON writecheck.decision (workspace, reason_code, at_ms) WHERE decision <> 'allow';
-- Texts of any length do not fit into an index entry; their hashes do.
CREATE INDEX decision_by_object ON writecheck.decision (workspace, md5(object_ref), at_ms) WHERE object_ref IS NOT NULL;
CREATE INDEX decision_by_workflow ON writecheck.decision (workspace, workflow_id, at_ms) WHERE workflow_id IS NOT NULL;
CREATE INDEX decision_by_run ON writecheck.decision (workspace, run_id, at_ms) WHERE run_id IS NOT NULL;
CREATE INDEX decision_by_warning ON writecheck.decision (workspace, at_ms) WHERE evaluated_decision <> decision;
CREATE TABLE writecheck.hourly (
  workspace text NOT NULL,
  hour_ms bigint NOT NULL,
  allow bigint NOT NULL,
  pause bigint NOT NULL,
  block bigint NOT NULL,
  warned bigint NOT NULL,
  PRIMARY KEY (workspace, hour_ms)
);
CREATE TABLE writecheck.daily (
  workspace text NOT NULL,
  day text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  checks bigint NOT NULL,
  PRIMARY KEY (workspace, day, key_id)
);

-- Takes the log this writer had, else one that nobody holds, else makes a new one.
CREATE FUNCTION writecheck.claim_log_v1(p_writer text, p_new_log text, p_lease interval)
RETURNS SETOF writecheck.log LANGUAGE plpgsql AS $$
DECLARE
  v_number integer;
BEGIN
  -- Claims are rare, and one at a time they stay simple.
  PERFORM pg_advisory_xact_lock(hashtextextended('writecheck claim', 0));
  SELECT number INTO v_number FROM writecheck.log
    WHERE is_open AND (writer = p_writer OR leased_until < clock_timestamp())
    ORDER BY writer = p_writer DESC, number LIMIT 1;
  IF v_number IS NULL THEN
    INSERT INTO writecheck.log
      SELECT coalesce(max(number) + 1, 0), p_new_log, 0, '\x0000000000000000', coalesce(max(newest_ms), 0), true,
        p_writer, clock_timestamp() + p_lease FROM writecheck.log
      RETURNING number INTO v_number;
    INSERT INTO writecheck.indexed VALUES (v_number, 0);
  ELSE
    UPDATE writecheck.log SET writer = p_writer, leased_until = clock_timestamp() + p_lease WHERE number = v_number;
  END IF;
  RETURN QUERY SELECT * FROM writecheck.log WHERE number = v_number;
END $$;

-- Puts one segment at the end of a log, whose row the caller has locked.
CREATE FUNCTION writecheck.append_v1(
  p_log integer, p_lease interval, p_frontier bytea, p_newest_ms bigint,
  p_count integer, p_oldest_ms bigint, p_latest_ms bigint, p_leaf_hashes bytea, p_body bytea,
  p_node_levels integer[], p_node_numbers bigint[], p_node_hashes bytea[]
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- Whatever the server or the role has set: the answer leaves only after the sync.
  IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  INSERT INTO writecheck.segment
    SELECT p_log * 68719476736::bigint + size, p_count, p_oldest_ms, p_latest_ms, p_leaf_hashes, p_body
    FROM writecheck.log WHERE number = p_log;
  IF cardinality(p_node_levels) > 0 THEN
    INSERT INTO writecheck.node SELECT p_log, * FROM unnest(p_node_levels, p_node_numbers, p_node_hashes);
  END IF;
  UPDATE writecheck.log SET size = size + p_count, frontier = p_frontier, newest_ms = p_newest_ms,
    leased_until = clock_timestamp() + p_lease WHERE number = p_log;
END $$;

-- One group commit. It assumes what its caller assumed and says so where that is not true: 'moved' where the log is
-- not the caller's at that size any more, 'changed' where a limit, a key or an attestation is not as it was thought to
-- be. Then nothing is written. Lists come sorted, so that two commits never wait for each other in a circle.
CREATE FUNCTION writecheck.commit_v1(
  p_log integer, p_writer text, p_size bigint, p_lease interval, p_frontier bytea, p_newest_ms bigint,
  p_count integer, p_oldest_ms bigint, p_latest_ms bigint, p_leaf_hashes bytea, p_body bytea,
  p_node_levels integer[], p_node_numbers bigint[], p_node_hashes bytea[],
  p_use_workspaces text[], p_use_periods text[], p_use_kinds text[], p_use_counts bigint[], p_use_limits bigint[],
  p_key_workspaces text[], p_keys text[], p_key_digests text[], p_key_claimed bigint[], p_key_expires bigint[],
  p_key_whiles text[], p_key_responses bytea[],
  p_used_workspaces text[], p_used_sources text[], p_used_jtis text[],
  p_rest_workspaces text[], p_rest_sources text[], p_rest_jtis text[],
  OUT status text, OUT used bigint[]
) LANGUAGE plpgsql AS $$
DECLARE
  v_total bigint;
  v_rows bigint;
BEGIN
  PERFORM 1 FROM writecheck.log
    WHERE number = p_log AND writer = p_writer AND size = p_size AND is_open FOR NO KEY UPDATE;
  IF NOT FOUND THEN status := 'moved'; RETURN; END IF;

  FOR i IN 1 .. cardinality(p_use_limits) LOOP
    CONTINUE WHEN p_use_limits[i] IS NULL;
    INSERT INTO writecheck.usage VALUES (p_use_workspaces[i], p_use_periods[i], p_use_kinds[i], -1, 0)
      ON CONFLICT DO NOTHING;
    PERFORM 1 FROM writecheck.usage u WHERE u.workspace = p_use_workspaces[i] AND u.period = p_use_periods[i]
      AND u.kind = p_use_kinds[i] AND u.log = -1 FOR NO KEY UPDATE;
    SELECT sum(u.used) INTO v_total FROM writecheck.usage u WHERE u.workspace = p_use_workspaces[i]
      AND u.period = p_use_periods[i] AND u.kind = p_use_kinds[i];
    IF v_total + p_use_counts[i] > p_use_limits[i] THEN status := 'changed'; RETURN; END IF;
  END LOOP;
  IF cardinality(p_rest_jtis) > 0 THEN
    PERFORM 1 FROM unnest(p_rest_workspaces, p_rest_sources, p_rest_jtis) AS r (workspace, source, jti)
      JOIN writecheck.revoked_attestation USING (workspace, source, jti);
    IF FOUND THEN status := 'changed'; RETURN; END IF;
  END IF;
  IF cardinality(p_keys) > 0 THEN
    PERFORM 1 FROM unnest(p_key_workspaces, p_keys, p_key_claimed) AS k (workspace, key, claimed)
      JOIN writecheck.idempotency i USING (workspace, key) WHERE i.expires_ms > k.claimed;
    IF FOUND THEN status := 'changed'; RETURN; END IF;
  END IF;
  IF cardinality(p_used_jtis) > 0 THEN
    PERFORM 1 FROM unnest(p_used_workspaces, p_used_sources, p_used_jtis) AS c (workspace, source, jti)
      JOIN writecheck.consumed_attestation USING (workspace, source, jti);
    IF FOUND THEN status := 'changed'; RETURN; END IF;
  END IF;

  -- From here on something is written; whoever was faster since the looks above ends the whole transaction.
  IF cardinality(p_keys) > 0 THEN
    INSERT INTO writecheck.idempotency AS i
      SELECT * FROM unnest(p_key_workspaces, p_keys, p_key_digests, p_key_claimed, p_key_expires, p_key_whiles,
        p_key_responses)
      ON CONFLICT (workspace, key) DO UPDATE SET request_digest = excluded.request_digest,
        claimed_ms = excluded.claimed_ms, expires_ms = excluded.expires_ms,
        replayable_while = excluded.replayable_while, response = excluded.response
      WHERE i.expires_ms <= excluded.claimed_ms;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows <> cardinality(p_keys) THEN RAISE 'an idempotency key was taken' USING ERRCODE = 'WC001'; END IF;
  END IF;
  IF cardinality(p_used_jtis) > 0 THEN
    INSERT INTO writecheck.consumed_attestation
      SELECT * FROM unnest(p_used_workspaces, p_used_sources, p_used_jtis) ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows <> cardinality(p_used_jtis) THEN RAISE 'an attestation was used up' USING ERRCODE = 'WC001'; END IF;
  END IF;
  INSERT INTO writecheck.usage AS u
    SELECT n.workspace, n.period, n.kind, CASE WHEN n.most IS NULL THEN p_log ELSE -1 END, n.count
    FROM unnest(p_use_workspaces, p_use_periods, p_use_kinds, p_use_counts, p_use_limits)
      AS n (workspace, period, kind, count, most)
    ON CONFLICT (workspace, period, kind, log) DO UPDATE SET used = u.used + excluded.used;
  FOR i IN 1 .. cardinality(p_use_limits) LOOP
    SELECT sum(u.used) INTO v_total FROM writecheck.usage u WHERE u.workspace = p_use_workspaces[i]
      AND u.period = p_use_periods[i] AND u.kind = p_use_kinds[i];
    used[i] := v_total;
  END LOOP;
  PERFORM writecheck.append_v1(p_log, p_lease, p_frontier, p_newest_ms, p_count, p_oldest_ms, p_latest_ms,
    p_leaf_hashes, p_body, p_node_levels, p_node_numbers, p_node_hashes);
  status := 'done';
END $$;

-- Uses a decision up, once. The order of the questions is the order in which they are answered.
CREATE FUNCTION writecheck.redeem_v1(
  p_log integer, p_writer text, p_size bigint, p_lease interval, p_frontier bytea, p_newest_ms bigint,
  p_leaf_hash bytea, p_body bytea, p_node_levels integer[], p_node_numbers bigint[], p_node_hashes bytea[],
  p_workspace text, p_decision_id text, p_key_id text, p_at_ms bigint, p_idempotency_key text,
  p_is_expired boolean, p_policy_ref text, p_decided_ms bigint, p_sources text[], p_jtis text[],
  OUT status text, OUT redeemed_ms bigint
) LANGUAGE plpgsql AS $$
DECLARE
  v_before writecheck.redemption;
  v_digest text;
  v_created_ms bigint;
BEGIN
  PERFORM 1 FROM writecheck.log
    WHERE number = p_log AND writer = p_writer AND size = p_size AND is_open FOR NO KEY UPDATE;
  IF NOT FOUND THEN status := 'moved'; RETURN; END IF;
  SELECT * INTO v_before FROM writecheck.redemption WHERE workspace = p_workspace AND decision_id = p_decision_id;
  IF FOUND THEN
    -- What stands before the space is the key as sent, what stands behind it the digest of the request.
    status := CASE
      WHEN v_before.idempotency_key = p_idempotency_key THEN 'same'
      WHEN split_part(v_before.idempotency_key, ' ', 1) = split_part(p_idempotency_key, ' ', 1) THEN 'key_reused'
      ELSE 'already_redeemed' END;
    redeemed_ms := v_before.redeemed_ms;
    RETURN;
  END IF;
  IF p_is_expired THEN status := 'expired'; RETURN; END IF;
  SELECT digest, created_ms INTO v_digest, v_created_ms
    FROM writecheck.policy WHERE workspace = p_workspace ORDER BY revision DESC LIMIT 1;
  -- A bundle that was taken back and came again is another revision.
  IF v_digest IS DISTINCT FROM p_policy_ref OR v_created_ms > p_decided_ms THEN
    status := 'policy_changed'; RETURN;
  END IF;
  PERFORM 1 FROM unnest(p_sources, p_jtis) AS r (source, jti)
    JOIN writecheck.revoked_attestation USING (source, jti) WHERE workspace = p_workspace;
  IF FOUND THEN status := 'evidence_revoked'; RETURN; END IF;
  -- Fails where another process was faster since the look above.
  INSERT INTO writecheck.redemption VALUES (p_workspace, p_decision_id, p_key_id, p_at_ms, p_idempotency_key);
  PERFORM writecheck.append_v1(p_log, p_lease, p_frontier, p_newest_ms, 1, p_at_ms, p_at_ms, p_leaf_hash, p_body,
    p_node_levels, p_node_numbers, p_node_hashes);
  status := 'redeemed';
  redeemed_ms := p_at_ms;
END $$;
SELECT 1;
ALTER TABLE writecheck.api_key ADD COLUMN rotated_ms bigint;
CREATE FUNCTION writecheck.note_rotation_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.rotated_ms := coalesce(NEW.rotated_ms, floor(extract(epoch FROM clock_timestamp()) * 1000));
  RETURN NEW;
END $$;
CREATE TRIGGER note_rotation BEFORE UPDATE OF expires_ms ON writecheck.api_key
  FOR EACH ROW EXECUTE FUNCTION writecheck.note_rotation_v1();

-- As redeem_v1; besides, the idempotency key of a redemption belongs to it alone, as that of a check does.
CREATE FUNCTION writecheck.redeem_v2(
  p_log integer, p_writer text, p_size bigint, p_lease interval, p_frontier bytea, p_newest_ms bigint,
  p_leaf_hash bytea, p_body bytea, p_node_levels integer[], p_node_numbers bigint[], p_node_hashes bytea[],
  p_workspace text, p_decision_id text, p_key_id text, p_at_ms bigint, p_idempotency_key text,
  p_is_expired boolean, p_policy_ref text, p_decided_ms bigint, p_sources text[], p_jtis text[],
  p_claimed_key text, p_claim_digest text, p_claim_expires_ms bigint,
  OUT status text, OUT redeemed_ms bigint
) LANGUAGE plpgsql AS $$
DECLARE
  v_rows bigint;
BEGIN
  PERFORM 1 FROM writecheck.idempotency WHERE workspace = p_workspace AND key = p_claimed_key
    AND expires_ms > p_at_ms AND request_digest <> p_claim_digest;
  IF FOUND THEN status := 'key_reused'; RETURN; END IF;
  SELECT r.status, r.redeemed_ms INTO status, redeemed_ms FROM writecheck.redeem_v1(
    p_log, p_writer, p_size, p_lease, p_frontier, p_newest_ms, p_leaf_hash, p_body, p_node_levels, p_node_numbers,
    p_node_hashes, p_workspace, p_decision_id, p_key_id, p_at_ms, p_idempotency_key, p_is_expired, p_policy_ref,
    p_decided_ms, p_sources, p_jtis) AS r;
  IF status <> 'redeemed' OR p_claimed_key IS NULL THEN RETURN; END IF;
  INSERT INTO writecheck.idempotency AS i
    VALUES (p_workspace, p_claimed_key, p_claim_digest, p_at_ms, p_claim_expires_ms, 'null', '')
    ON CONFLICT (workspace, key) DO UPDATE SET request_digest = excluded.request_digest,
      claimed_ms = excluded.claimed_ms, expires_ms = excluded.expires_ms,
      replayable_while = excluded.replayable_while, response = excluded.response
    WHERE i.expires_ms <= excluded.claimed_ms OR i.request_digest = excluded.request_digest;
  GET DIAGNOSTICS v_rows = ROW_COUNT;
  IF v_rows <> 1 THEN RAISE 'an idempotency key was taken' USING ERRCODE = 'WC001'; END IF;
END $$;
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
ALTER TABLE writecheck.api_key ADD COLUMN rotated_from text;
CREATE TABLE writecheck.person (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace text NOT NULL REFERENCES writecheck.workspace (id),
  id text COLLATE "C" NOT NULL UNIQUE,
  version bigint NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  email_key text COLLATE "C" NOT NULL,
  roles text NOT NULL,
  group_names text NOT NULL,
  state text NOT NULL CHECK (state IN ('invited', 'active', 'disabled')),
  epoch bigint NOT NULL,
  invitation_hash text UNIQUE,
  invitation_expires_ms bigint,
  invitation_by text,
  oidc_issuer text,
  oidc_subject text COLLATE "C",
  created_ms bigint NOT NULL,
  last_seen_ms bigint,
  UNIQUE (workspace, email_key),
  UNIQUE (workspace, oidc_issuer, oidc_subject)
);

CREATE TABLE writecheck.credential (
  id text COLLATE "C" PRIMARY KEY,
  workspace text NOT NULL,
  person text COLLATE "C" NOT NULL,
  epoch bigint NOT NULL,
  public_key text NOT NULL,
  algorithm integer NOT NULL,
  sign_count bigint NOT NULL,
  transports text NOT NULL,
  registered_ms bigint NOT NULL,
  invited_by text
);
CREATE INDEX credential_by_person ON writecheck.credential (person);

CREATE TABLE writecheck.session (
  hash text PRIMARY KEY,
  workspace text NOT NULL,
  person text NOT NULL,
  epoch bigint NOT NULL,
  sign_in text NOT NULL,
  created_ms bigint NOT NULL,
  expires_ms bigint NOT NULL,
  last_used_ms bigint NOT NULL,
  ended_ms bigint
);
CREATE INDEX session_by_expiry ON writecheck.session (expires_ms);

CREATE TABLE writecheck.one_time (
  kind text NOT NULL,
  key text COLLATE "C" NOT NULL,
  payload text NOT NULL,
  expires_ms bigint NOT NULL,
  PRIMARY KEY (kind, key)
);
CREATE INDEX one_time_by_expiry ON writecheck.one_time (expires_ms);

ALTER TABLE writecheck.api_key ADD COLUMN held_by text, ADD COLUMN made_by text;
ALTER TABLE writecheck.policy ADD COLUMN author_person text;

-- One person's row, their new passkey, log entries and the trail of changes, all or nothing. p_person is the row as
-- JSON: of version 1 it is new, else it replaces the version before its own. WC002 undoes it all; its message is the
-- outcome.
CREATE FUNCTION writecheck.change_person_v1(
  p_log integer, p_writer text, p_size bigint, p_lease interval, p_frontier bytea, p_newest_ms bigint,
  p_count integer, p_oldest_ms bigint, p_latest_ms bigint, p_leaf_hashes bytea, p_body bytea,
  p_node_levels integer[], p_node_numbers bigint[], p_node_hashes bytea[],
  p_person json, p_credential json, p_seen_ms bigint, p_source text, p_changes_kept bigint, p_channel text,
  OUT status text
) LANGUAGE plpgsql AS $$
DECLARE
  v_person writecheck.person;
  v_credential writecheck.credential;
  v_epoch bigint;
  v_rows bigint;
BEGIN
  PERFORM 1 FROM writecheck.log
    WHERE number = p_log AND writer = p_writer AND size = p_size AND is_open FOR NO KEY UPDATE;
  IF NOT FOUND THEN status := 'moved'; RETURN; END IF;

  v_person := json_populate_record(NULL::writecheck.person, p_person);
  -- Whoever changes a person of this workspace waits here, so that what is looked up below stays so.
  PERFORM 1 FROM writecheck.workspace WHERE id = v_person.workspace FOR NO KEY UPDATE;
  SELECT epoch INTO v_epoch FROM writecheck.person WHERE id = v_person.id AND workspace = v_person.workspace
    AND version = v_person.version - 1;
  IF FOUND <> (v_person.version > 1) THEN RAISE 'conflict' USING ERRCODE = 'WC002'; END IF;
  PERFORM 1 FROM writecheck.person
    WHERE workspace = v_person.workspace AND email_key = v_person.email_key AND id <> v_person.id;
  IF FOUND THEN RAISE 'email_taken' USING ERRCODE = 'WC002'; END IF;
  PERFORM 1 FROM writecheck.person WHERE workspace = v_person.workspace AND oidc_issuer = v_person.oidc_issuer
    AND oidc_subject = v_person.oidc_subject AND id <> v_person.id;
  IF FOUND THEN RAISE 'identity_taken' USING ERRCODE = 'WC002'; END IF;

  IF v_epoch IS NULL THEN
    SELECT count(*) INTO v_rows FROM writecheck.person WHERE workspace = v_person.workspace;
    IF v_rows >= 1000 THEN RAISE 'too_many_people' USING ERRCODE = 'WC002'; END IF;
    INSERT INTO writecheck.person (workspace, id, version, name, email, email_key, roles, group_names, state, epoch,
        invitation_hash, invitation_expires_ms, invitation_by, oidc_issuer, oidc_subject, created_ms, last_seen_ms)
      VALUES (v_person.workspace, v_person.id, v_person.version, v_person.name, v_person.email, v_person.email_key,
        v_person.roles, v_person.group_names, v_person.state, v_person.epoch, v_person.invitation_hash,
        v_person.invitation_expires_ms, v_person.invitation_by, v_person.oidc_issuer, v_person.oidc_subject,
        v_person.created_ms, p_seen_ms)
      ON CONFLICT (id) DO NOTHING;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows <> 1 THEN RAISE 'conflict' USING ERRCODE = 'WC002'; END IF;
  ELSE
    UPDATE writecheck.person SET version = v_person.version, name = v_person.name, email = v_person.email,
      email_key = v_person.email_key, roles = v_person.roles, group_names = v_person.group_names,
      state = v_person.state, epoch = v_person.epoch, invitation_hash = v_person.invitation_hash,
      invitation_expires_ms = v_person.invitation_expires_ms, invitation_by = v_person.invitation_by,
      oidc_issuer = v_person.oidc_issuer, oidc_subject = v_person.oidc_subject,
      last_seen_ms = greatest(last_seen_ms, p_seen_ms)
      WHERE id = v_person.id;
    IF v_person.epoch > v_epoch THEN
      DELETE FROM writecheck.credential WHERE person = v_person.id AND epoch < v_person.epoch;
      INSERT INTO writecheck.revoked_attestation
        VALUES (v_person.workspace, p_source, v_person.id || ':' || v_epoch, p_latest_ms) ON CONFLICT DO NOTHING;
    END IF;
  END IF;
  IF p_credential IS NOT NULL THEN
    v_credential := json_populate_record(NULL::writecheck.credential, p_credential);
    INSERT INTO writecheck.credential SELECT v_credential.* ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows <> 1 THEN RAISE 'credential_taken' USING ERRCODE = 'WC002'; END IF;
  END IF;
  PERFORM writecheck.append_v1(p_log, p_lease, p_frontier, p_newest_ms, p_count, p_oldest_ms, p_latest_ms,
    p_leaf_hashes, p_body, p_node_levels, p_node_numbers, p_node_hashes);

  -- Last: from here to the end every other change waits.
  WITH next AS (UPDATE writecheck.change_count SET newest = newest + 1 RETURNING newest)
    INSERT INTO writecheck.change SELECT newest, 'person', v_person.workspace, v_person.id FROM next;
  DELETE FROM writecheck.change
    WHERE number <= (SELECT newest - p_changes_kept FROM writecheck.change_count);
  PERFORM pg_notify(p_channel, '');
  status := 'changed';
END $$;
CREATE TABLE writecheck.webhook (
  number bigint GENERATED ALWAYS AS IDENTITY,
  workspace text NOT NULL,
  id text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL,
  url text NOT NULL,
  events text NOT NULL,
  format text NOT NULL,
  description text,
  state text NOT NULL,
  because text,
  signer text NOT NULL,
  rotation bigint NOT NULL,
  rotated_ms bigint,
  created_ms bigint NOT NULL,
  cursor text NOT NULL,
  holder text NOT NULL,
  leased_until_ms bigint NOT NULL
);
CREATE INDEX webhook_by_workspace ON writecheck.webhook (workspace, number);
CREATE INDEX webhook_active ON writecheck.webhook (signer) WHERE state = 'active';

CREATE TABLE writecheck.webhook_delivery (
  number bigint GENERATED ALWAYS AS IDENTITY,
  webhook text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  at_ms bigint NOT NULL,
  data text NOT NULL,
  state text NOT NULL,
  attempts integer NOT NULL,
  status integer,
  next_ms bigint,
  PRIMARY KEY (webhook, id)
);
CREATE INDEX webhook_delivery_by_webhook ON writecheck.webhook_delivery (webhook, number);
CREATE INDEX webhook_delivery_due ON writecheck.webhook_delivery (webhook, next_ms, number) WHERE state = 'waiting';

ALTER TABLE writecheck.policy ADD COLUMN loosens boolean NOT NULL DEFAULT false;
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
      SELECT coalesce(max(number) + 1, 0), p_new_log, 0, '\x0000000000000000',
        coalesce(max(newest_ms) FILTER (WHERE is_open), 0), true, p_writer, clock_timestamp() + p_lease
      FROM writecheck.log
      RETURNING number INTO v_number;
    INSERT INTO writecheck.indexed VALUES (v_number, 0);
  ELSE
    UPDATE writecheck.log SET writer = p_writer, leased_until = clock_timestamp() + p_lease WHERE number = v_number;
  END IF;
  RETURN QUERY SELECT * FROM writecheck.log WHERE number = v_number;
END $$;
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
    SELECT workspace, (at_ms / 86400000)::integer AS day, md5(ROW(key_id, decision, evaluated_decision, reason_code, system, workflow_id)::text)::uuid AS kind, key_id, decision, evaluated_decision, reason_code, system, workflow_id, bit_or(1 << (at_ms / 3600000 % 24)::integer) AS hours
    FROM added GROUP BY workspace, (at_ms / 86400000)::integer, key_id, decision, evaluated_decision, reason_code, system, workflow_id
  ), kept AS (
    SELECT a.*, EXISTS (SELECT 1 FROM writecheck.decision_kind k
        WHERE k.workspace = a.workspace AND k.day = a.day AND k.kind = a.kind)
      OR (SELECT count(*) FROM writecheck.decision_kind k WHERE k.workspace = a.workspace AND k.day = a.day)
        < 500 AS is_kept
    FROM added_kind a
  )
  INSERT INTO writecheck.decision_kind AS k
    SELECT workspace, day, kind, key_id, decision, evaluated_decision, reason_code, system, workflow_id, hours FROM kept WHERE is_kept
    UNION ALL
    SELECT workspace, day, '00000000-0000-0000-0000-000000000000'::uuid, null, null, null, null, null, null, bit_or(hours) FROM kept WHERE NOT is_kept
      GROUP BY workspace, day
    ORDER BY 1, 2, 3
  ON CONFLICT (workspace, day, kind) DO UPDATE SET hours = k.hours | excluded.hours;
  RETURN NULL;
END $$;
CREATE TRIGGER note_kinds AFTER INSERT ON writecheck.decision REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION writecheck.note_kinds_v1();
-- The trigger's lock has waited for whoever was indexing, so every indexed decision has its hour here.
INSERT INTO writecheck.decision_kind (workspace, day, kind, hours)
  SELECT workspace, (hour_ms / 86400000)::integer, '00000000-0000-0000-0000-000000000000'::uuid, bit_or(1 << (hour_ms / 3600000 % 24)::integer)
  FROM writecheck.hourly GROUP BY 1, 2;
CREATE TABLE writecheck.webhook_call (
  workspace text COLLATE "C" PRIMARY KEY,
  since_ms bigint NOT NULL,
  calls integer NOT NULL
);
ALTER TABLE writecheck.policy ADD COLUMN message text;
ALTER TABLE writecheck.api_key ADD COLUMN revoked_by text;
ALTER TABLE writecheck.person ADD COLUMN history text;

-- Like change_person_v1, which older replicas still call; it also keeps the history that is in p_person.
CREATE FUNCTION writecheck.change_person_v2(
  p_log integer, p_writer text, p_size bigint, p_lease interval, p_frontier bytea, p_newest_ms bigint,
  p_count integer, p_oldest_ms bigint, p_latest_ms bigint, p_leaf_hashes bytea, p_body bytea,
  p_node_levels integer[], p_node_numbers bigint[], p_node_hashes bytea[],
  p_person json, p_credential json, p_seen_ms bigint, p_source text, p_changes_kept bigint, p_channel text,
  OUT status text
) LANGUAGE plpgsql AS $$
BEGIN
  status := writecheck.change_person_v1(p_log, p_writer, p_size, p_lease, p_frontier, p_newest_ms, p_count,
    p_oldest_ms, p_latest_ms, p_leaf_hashes, p_body, p_node_levels, p_node_numbers, p_node_hashes, p_person,
    p_credential, p_seen_ms, p_source, p_changes_kept, p_channel);
  IF status = 'changed' THEN
    UPDATE writecheck.person SET history = p_person->>'history' WHERE id = p_person->>'id';
  END IF;
END $$;
DELETE FROM writecheck.change_count;
SET session_replication_role = replica;
INSERT INTO writecheck.api_key (number, id, workspace, kind, name, hash, hint, created_ms, expires_ms, last_used_ms, revoked_ms, allowed_systems, allowed_workflows, rotated_ms, rotated_from, held_by, made_by, revoked_by) OVERRIDING SYSTEM VALUE VALUES ('1', 'key_owner', 'ws_converted', 'owner', 'a owner key', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'wck_…07f1', '1', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO writecheck.api_key (number, id, workspace, kind, name, hash, hint, created_ms, expires_ms, last_used_ms, revoked_ms, allowed_systems, allowed_workflows, rotated_ms, rotated_from, held_by, made_by, revoked_by) OVERRIDING SYSTEM VALUE VALUES ('3', 'key_new', 'ws_converted', 'development', 'a development key', 'cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc', 'wck_…cccc', '5', NULL, NULL, NULL, NULL, NULL, NULL, 'key_old', NULL, NULL, NULL);
INSERT INTO writecheck.api_key (number, id, workspace, kind, name, hash, hint, created_ms, expires_ms, last_used_ms, revoked_ms, allowed_systems, allowed_workflows, rotated_ms, rotated_from, held_by, made_by, revoked_by) OVERRIDING SYSTEM VALUE VALUES ('2', 'key_old', 'ws_converted', 'development', 'a development key', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'wck_…0eae', '1', '9', NULL, NULL, NULL, NULL, '5', NULL, NULL, NULL, NULL);
INSERT INTO writecheck.change (number, kind, workspace, subject) OVERRIDING SYSTEM VALUE VALUES ('1', 'key', 'ws_converted', 'key_old');
INSERT INTO writecheck.change (number, kind, workspace, subject) OVERRIDING SYSTEM VALUE VALUES ('2', 'policy', 'ws_converted', 'sha256:1');
INSERT INTO writecheck.change (number, kind, workspace, subject) OVERRIDING SYSTEM VALUE VALUES ('3', 'review', 'ws_converted', 'rev_converted');
INSERT INTO writecheck.change (number, kind, workspace, subject) OVERRIDING SYSTEM VALUE VALUES ('4', 'person', 'ws_converted', 'per_1');
INSERT INTO writecheck.change_count (newest) OVERRIDING SYSTEM VALUE VALUES ('4');
INSERT INTO writecheck.checkpoint (log, size, note, frontier) OVERRIDING SYSTEM VALUE VALUES ('log-converted', '1', 'note', '\x00000000000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO writecheck.consumed_attestation (workspace, source, jti) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', 's', 'used');
INSERT INTO writecheck.daily (workspace, day, key_id, checks) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', '2026-11-15', 'key_1', '1');
INSERT INTO writecheck.daily (workspace, day, key_id, checks) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', '2026-11-15', 'key_new', '3');
INSERT INTO writecheck.decision (position, workspace, at_ms, decision_id, audit_id, key_id, timestamp, decision, evaluated_decision, reason_code, system, object_type, object_ref, field, operation, workflow_id, run_id) OVERRIDING SYSTEM VALUE VALUES ('0', 'ws_converted', '1794700800005', 'dec_01a1dc80f0057ad959175da5b62bb083', 'aud_01a1dc80f005794db15e29beac49b97a', 'key_new', '2026-11-15T00:00:00.005Z', 'allow', 'allow', 'requirements_met', 'crm', 'kontakt ü', NULL, NULL, NULL, NULL, NULL);
INSERT INTO writecheck.decision (position, workspace, at_ms, decision_id, audit_id, key_id, timestamp, decision, evaluated_decision, reason_code, system, object_type, object_ref, field, operation, workflow_id, run_id) OVERRIDING SYSTEM VALUE VALUES ('1', 'ws_converted', '1794700800006', 'dec_01a1dc80f0067cda5cae4bad15b8c9c1', 'aud_01a1dc80f0067031a09137786cb70cac', 'key_new', '2026-11-15T00:00:00.006Z', 'allow', 'allow', 'requirements_met', 'crm', 'kontakt ü', NULL, NULL, NULL, NULL, NULL);
INSERT INTO writecheck.decision (position, workspace, at_ms, decision_id, audit_id, key_id, timestamp, decision, evaluated_decision, reason_code, system, object_type, object_ref, field, operation, workflow_id, run_id) OVERRIDING SYSTEM VALUE VALUES ('2', 'ws_converted', '1794700800007', 'dec_01a1dc80f007713bb5e3cd808e019856', 'aud_01a1dc80f00774f751c1267f38ebc7f2', 'key_new', '2026-11-15T00:00:00.007Z', 'allow', 'allow', 'requirements_met', 'crm', 'kontakt ü', NULL, NULL, NULL, NULL, NULL);
INSERT INTO writecheck.decision (position, workspace, at_ms, decision_id, audit_id, key_id, timestamp, decision, evaluated_decision, reason_code, system, object_type, object_ref, field, operation, workflow_id, run_id) OVERRIDING SYSTEM VALUE VALUES ('3', 'ws_converted', '1794700800008', 'dec_01a1dc80f00873fa66e86dba706c1b03', 'aud_01a1dc80f0087e0c1989ba787b15ed95', 'key_1', '2026-11-15T00:00:00.008Z', 'allow', 'allow', 'requirements_met', 'crm', 'kontakt ü', NULL, NULL, NULL, NULL, NULL);
INSERT INTO writecheck.decision_kind (workspace, day, kind, key_id, decision, evaluated_decision, reason_code, system, workflow_id, hours) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', 20772, '2fe1a154-d85b-f012-b7b2-0d25fcee0368', 'key_new', 'allow', 'allow', 'requirements_met', 'crm', NULL, 1);
INSERT INTO writecheck.decision_kind (workspace, day, kind, key_id, decision, evaluated_decision, reason_code, system, workflow_id, hours) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', 20772, '46b67a06-5cc3-f481-2587-f134b3966eee', 'key_1', 'allow', 'allow', 'requirements_met', 'crm', NULL, 1);
INSERT INTO writecheck.hourly (workspace, hour_ms, allow, pause, block, warned) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', '1794700800000', '4', '0', '0', '0');
INSERT INTO writecheck.idempotency (workspace, key, request_digest, claimed_ms, expires_ms, replayable_while, response) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', 'k', 'r', '1794700800008', '9000000000000', '{"validUntilMs":1794700800508,"policyRef":null,"restsOn":[]}', '\x6b657074');
INSERT INTO writecheck.idempotency (workspace, key, request_digest, claimed_ms, expires_ms, replayable_while, response) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', 'r', 'd dec_01a1dc80f0057ad959175da5b62bb083', '1794700800005', '9000000000000', 'null', '\x');
INSERT INTO writecheck.impact_run (workspace, id, state, started_ms, finished_ms, leased_until_ms, because, digest, done, total, settings, report) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', 'imp_1', 'running', '16', NULL, '1794938165557', NULL, NULL, '0', '1', '{}', '{}');
INSERT INTO writecheck.indexed (log, size) OVERRIDING SYSTEM VALUE VALUES (0, '7');
INSERT INTO writecheck.log (number, log, size, frontier, newest_ms, is_open, writer, leased_until) OVERRIDING SYSTEM VALUE VALUES (0, 'log-converted', '7', '\x0000000000000007cd1f03b2fd28abcb9717b02c823e70e731b95b0171135e36fa07f5c8f0b965252a9472fba69ea7a6d118c7f3cc97bbb6ad554ddd7fe6420db27925a476f9ca2d904d1fae46f115f474c0aad6502cb62559aa373dc8b3ed58c2c7858e363c46aa', '1794700800008', true, 'd24c68e6415cdea2', '-infinity');
INSERT INTO writecheck.migration (number, done_at) OVERRIDING SYSTEM VALUE VALUES (1, '2026-11-17T17:56:04.173Z');
INSERT INTO writecheck.migration (number, done_at) OVERRIDING SYSTEM VALUE VALUES (2, '2026-11-17T17:56:04.173Z');
INSERT INTO writecheck.migration (number, done_at) OVERRIDING SYSTEM VALUE VALUES (3, '2026-11-17T17:56:04.173Z');
INSERT INTO writecheck.migration (number, done_at) OVERRIDING SYSTEM VALUE VALUES (4, '2026-11-17T17:56:04.173Z');
INSERT INTO writecheck.migration (number, done_at) OVERRIDING SYSTEM VALUE VALUES (5, '2026-11-17T17:56:04.173Z');
INSERT INTO writecheck.migration (number, done_at) OVERRIDING SYSTEM VALUE VALUES (6, '2026-11-17T17:56:04.173Z');
INSERT INTO writecheck.migration (number, done_at) OVERRIDING SYSTEM VALUE VALUES (7, '2026-11-17T17:56:04.173Z');
INSERT INTO writecheck.migration (number, done_at) OVERRIDING SYSTEM VALUE VALUES (8, '2026-11-17T17:56:04.173Z');
INSERT INTO writecheck.migration (number, done_at) OVERRIDING SYSTEM VALUE VALUES (9, '2026-11-17T17:56:04.173Z');
INSERT INTO writecheck.migration (number, done_at) OVERRIDING SYSTEM VALUE VALUES (10, '2026-11-17T17:56:04.173Z');
INSERT INTO writecheck.migration (number, done_at) OVERRIDING SYSTEM VALUE VALUES (11, '2026-11-17T17:56:04.173Z');
INSERT INTO writecheck.migration (number, done_at) OVERRIDING SYSTEM VALUE VALUES (12, '2026-11-17T17:56:04.173Z');
INSERT INTO writecheck.migration (number, done_at) OVERRIDING SYSTEM VALUE VALUES (13, '2026-11-17T17:56:04.173Z');
INSERT INTO writecheck.migration (number, done_at) OVERRIDING SYSTEM VALUE VALUES (14, '2026-11-17T17:56:04.173Z');
INSERT INTO writecheck.person (number, workspace, id, version, name, email, email_key, roles, group_names, state, epoch, invitation_hash, invitation_expires_ms, invitation_by, oidc_issuer, oidc_subject, created_ms, last_seen_ms, history) OVERRIDING SYSTEM VALUE VALUES ('1', 'ws_converted', 'per_1', '1', 'Ada', 'ada@example.com', 'ada@example.com', '["reviewer"]', '[]', 'active', '1', NULL, NULL, NULL, NULL, NULL, '13', '14', '[]');
INSERT INTO writecheck.policy (workspace, revision, digest, documents, author_key, created_ms, rollback_of, author_person, loosens, message) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', '1', 'sha256:1', '[]', 'key_owner', '10', NULL, NULL, false, 'first');
INSERT INTO writecheck.redemption (workspace, decision_id, key_id, redeemed_ms, idempotency_key) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', 'dec_01a1dc80f0057ad959175da5b62bb083', 'key_new', '1794700800005', 'r d');
INSERT INTO writecheck.review (workspace, id, version, state, place, intent_digest, key_kind, system, object_ref, likeness, control_ids, asked_by, first_asker, opened_ms, expires_ms, resolved_ms, document) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', 'rev_converted', '1', 'open', '9000000000000', 'sha256:1adf673a066725ff1f8da9306a8386fbf056189ef9fd0fe974667ec8b2a2afd8', 'live', 'c\\rm\0', NULL, 'sha256:96e925ef092a8e1e065cf72b2f7d6fb12f7b440e305cf9b83d8a7b5287438986', '["approval"]', '["key_1"]', 'key_1', '12', '9000000000000', NULL, '{"decisionId":"dec_01a1dc80f0087a07a01a63ef2bd9c9e2","validUntilMs":null,"because":null}');
INSERT INTO writecheck.review_tag (workspace, tag, place, id) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', 'all', '9000000000000', 'rev_converted');
INSERT INTO writecheck.review_tag (workspace, tag, place, id) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', 'state:open', '9000000000000', 'rev_converted');
INSERT INTO writecheck.review_tag (workspace, tag, place, id) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', 'sha256:1935d0da40cf2fdec598dd86818d33eda4a51c8247727f56651e6eed0f6978dc', '9000000000000', 'rev_converted');
INSERT INTO writecheck.review_tag (workspace, tag, place, id) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', 'digest:sha256:1adf673a066725ff1f8da9306a8386fbf056189ef9fd0fe974667ec8b2a2afd8', '9000000000000', 'rev_converted');
INSERT INTO writecheck.review_tag (workspace, tag, place, id) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', 'control:approval', '9000000000000', 'rev_converted');
INSERT INTO writecheck.review_tag (workspace, tag, place, id) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', 'key:key_1', '9000000000000', 'rev_converted');
INSERT INTO writecheck.revoked_attestation (workspace, source, jti, revoked_ms) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', 's', 'revoked', '11');
INSERT INTO writecheck.segment (position, count, oldest_ms, latest_ms, leaf_hashes, body) OVERRIDING SYSTEM VALUE VALUES ('0', 1, '1794700800005', '1794700800005', '\xc906f9f246f03216999731846e8f738b572695e79a4293c5dd943d45a972faae', '\x010000005c000000080200007b2274696d657374616d70223a22323032362d31312d31355430303a30303a30302e3030355a222c22696e74656e74223a7b2273797374656d223a2263726d222c226f626a65637454797065223a226b6f6e74616b7420c3bc227d7d7b2261756469745f6964223a226175645f3031613164633830663030353739346462313565323962656163343962393761222c226465636973696f6e223a22616c6c6f77222c226465636973696f6e5f6964223a226465635f3031613164633830663030353761643935393137356461356236326262303833222c226576616c75617465644465636973696f6e223a22616c6c6f77222c22696e74656e74446967657374223a227368613235363a30303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030222c226b65794964223a226b65795f6e6577222c226b65794b696e64223a226c697665222c226c6f67223a226c6f672d636f6e766572746564222c22706f6c696379526566223a6e756c6c2c22726561736f6e5f636f6465223a22726571756972656d656e74735f6d6574222c227265636f7264446967657374223a227368613235363a65623633383536353764346135323236343765616261376636353666353066646335376561363463373361313730663564656531636262646166363538316366222c2274696d657374616d70223a22323032362d31312d31355430303a30303a30302e3030355a222c2276616c6964556e74696c223a6e756c6c2c22776f726b7370616365223a2277735f636f6e766572746564227d');
INSERT INTO writecheck.segment (position, count, oldest_ms, latest_ms, leaf_hashes, body) OVERRIDING SYSTEM VALUE VALUES ('1', 1, '1794700800006', '1794700800006', '\xe85a1a059100b09b015741611bd95e5da3ec049447bd7457c5a7950871097d58', '\x010000005c000000080200007b2274696d657374616d70223a22323032362d31312d31355430303a30303a30302e3030365a222c22696e74656e74223a7b2273797374656d223a2263726d222c226f626a65637454797065223a226b6f6e74616b7420c3bc227d7d7b2261756469745f6964223a226175645f3031613164633830663030363730333161303931333737383663623730636163222c226465636973696f6e223a22616c6c6f77222c226465636973696f6e5f6964223a226465635f3031613164633830663030363763646135636165346261643135623863396331222c226576616c75617465644465636973696f6e223a22616c6c6f77222c22696e74656e74446967657374223a227368613235363a30303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030222c226b65794964223a226b65795f6e6577222c226b65794b696e64223a226c697665222c226c6f67223a226c6f672d636f6e766572746564222c22706f6c696379526566223a6e756c6c2c22726561736f6e5f636f6465223a22726571756972656d656e74735f6d6574222c227265636f7264446967657374223a227368613235363a65393563663339363062326233643962626635303534393338303631613962356436623234626263393935343631323332616332643662666463633665376633222c2274696d657374616d70223a22323032362d31312d31355430303a30303a30302e3030365a222c2276616c6964556e74696c223a6e756c6c2c22776f726b7370616365223a2277735f636f6e766572746564227d');
INSERT INTO writecheck.segment (position, count, oldest_ms, latest_ms, leaf_hashes, body) OVERRIDING SYSTEM VALUE VALUES ('2', 1, '1794700800007', '1794700800007', '\x3e1616f771b672d1335829516a3ba22f802489c2365d488c2ad0b4b96fe1d21c', '\x010000005c000000080200007b2274696d657374616d70223a22323032362d31312d31355430303a30303a30302e3030375a222c22696e74656e74223a7b2273797374656d223a2263726d222c226f626a65637454797065223a226b6f6e74616b7420c3bc227d7d7b2261756469745f6964223a226175645f3031613164633830663030373734663735316331323637663338656263376632222c226465636973696f6e223a22616c6c6f77222c226465636973696f6e5f6964223a226465635f3031613164633830663030373731336262356533636438303865303139383536222c226576616c75617465644465636973696f6e223a22616c6c6f77222c22696e74656e74446967657374223a227368613235363a30303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030222c226b65794964223a226b65795f6e6577222c226b65794b696e64223a226c697665222c226c6f67223a226c6f672d636f6e766572746564222c22706f6c696379526566223a6e756c6c2c22726561736f6e5f636f6465223a22726571756972656d656e74735f6d6574222c227265636f7264446967657374223a227368613235363a35666563376134393236663163643439653664303766656564663362313231643766313134663332646139333335353464653230356137636233306631333161222c2274696d657374616d70223a22323032362d31312d31355430303a30303a30302e3030375a222c2276616c6964556e74696c223a6e756c6c2c22776f726b7370616365223a2277735f636f6e766572746564227d');
INSERT INTO writecheck.segment (position, count, oldest_ms, latest_ms, leaf_hashes, body) OVERRIDING SYSTEM VALUE VALUES ('3', 1, '1794700800008', '1794700800008', '\x6adc972c1c9e6afde98b9c842617d65161cdad9468713f082733630b5c699db6', '\x010000005c000000060200007b2274696d657374616d70223a22323032362d31312d31355430303a30303a30302e3030385a222c22696e74656e74223a7b2273797374656d223a2263726d222c226f626a65637454797065223a226b6f6e74616b7420c3bc227d7d7b2261756469745f6964223a226175645f3031613164633830663030383765306331393839626137383762313565643935222c226465636973696f6e223a22616c6c6f77222c226465636973696f6e5f6964223a226465635f3031613164633830663030383733666136366538366462613730366331623033222c226576616c75617465644465636973696f6e223a22616c6c6f77222c22696e74656e74446967657374223a227368613235363a30303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030222c226b65794964223a226b65795f31222c226b65794b696e64223a226c697665222c226c6f67223a226c6f672d636f6e766572746564222c22706f6c696379526566223a6e756c6c2c22726561736f6e5f636f6465223a22726571756972656d656e74735f6d6574222c227265636f7264446967657374223a227368613235363a61323934353132353237356334653236643533636433346462633163643137616164333465383635353731393939383632363632616462376339346364663536222c2274696d657374616d70223a22323032362d31312d31355430303a30303a30302e3030385a222c2276616c6964556e74696c223a6e756c6c2c22776f726b7370616365223a2277735f636f6e766572746564227d');
INSERT INTO writecheck.segment (position, count, oldest_ms, latest_ms, leaf_hashes, body) OVERRIDING SYSTEM VALUE VALUES ('4', 1, '1794700800005', '1794700800005', '\xe6965a6191067c2bc23f504753ff98bb17072016f3677819522ef84d9fed9a69', '\x01000000000000001e0100007b226465636973696f6e5f6964223a226465635f3031613164633830663030353761643935393137356461356236326262303833222c22696e74656e74446967657374223a227368613235363a30303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030222c226b65794964223a226b65795f6e6577222c226b65794b696e64223a226c697665222c226b696e64223a22726564656d7074696f6e222c226c6f67223a226c6f672d636f6e766572746564222c2274696d657374616d70223a22323032362d31312d31355430303a30303a30302e3030355a222c22776f726b7370616365223a2277735f636f6e766572746564227d');
INSERT INTO writecheck.segment (position, count, oldest_ms, latest_ms, leaf_hashes, body) OVERRIDING SYSTEM VALUE VALUES ('5', 1, '12', '12', '\x9e9558d4bb13bb80f34a0fd7d2a015ab15ad2d414d3dba1a45f53f25ccdda57f', '\x0100000000000000240100007b226279223a7b226964223a226b65795f6f776e6572222c226b696e64223a226f776e65725f6b6579227d2c2264657461696c73223a7b7d2c226576656e74223a226f70656e6564222c22696e74656e74446967657374223a227368613235363a31616466363733613036363732356666316638646139333036613833383666626630353631383965663966643066653937343636376563386232613261666438222c226b696e64223a22726576696577222c226c6f67223a226c6f672d636f6e766572746564222c22726576696577223a227265765f636f6e766572746564222c2274696d657374616d70223a22313937302d30312d30315430303a30303a30302e3031325a222c22776f726b7370616365223a2277735f636f6e766572746564227d');
INSERT INTO writecheck.segment (position, count, oldest_ms, latest_ms, leaf_hashes, body) OVERRIDING SYSTEM VALUE VALUES ('6', 1, '14', '14', '\x904d1fae46f115f474c0aad6502cb62559aa373dc8b3ed58c2c7858e363c46aa', '\x0100000000000000c40000007b226279223a7b226964223a226b65795f6f776e6572222c226b696e64223a226f776e65725f6b6579227d2c2264657461696c73223a7b7d2c226576656e74223a22696e7669746564222c226b696e64223a22706572736f6e222c226c6f67223a226c6f672d636f6e766572746564222c22706572736f6e223a227065725f31222c2274696d657374616d70223a22313937302d30312d30315430303a30303a30302e3031345a222c22776f726b7370616365223a2277735f636f6e766572746564227d');
INSERT INTO writecheck.usage (workspace, period, kind, log, used) OVERRIDING SYSTEM VALUE VALUES ('ws_converted', '2026-11', 'live', 0, '4');
INSERT INTO writecheck.webhook (number, workspace, id, version, url, events, format, description, state, because, signer, rotation, rotated_ms, created_ms, cursor, holder, leased_until_ms) OVERRIDING SYSTEM VALUE VALUES ('1', 'ws_converted', 'whk_1', '1', 'https://example.com/', '["*"]', 'plain', NULL, 'active', NULL, 's', '0', NULL, '15', '{"logs":{"log-converted":7}}', '', '0');
INSERT INTO writecheck.workspace (number, id, name, created_ms, live_granted) OVERRIDING SYSTEM VALUE VALUES ('1', 'ws_converted', 'a workspace', '1', false);
SELECT setval(pg_get_serial_sequence('writecheck.workspace', 'number'), greatest(1, (SELECT max(number) FROM writecheck.workspace)));
SELECT setval(pg_get_serial_sequence('writecheck.verifier_key', 'number'), greatest(1, (SELECT max(number) FROM writecheck.verifier_key)));
SELECT setval(pg_get_serial_sequence('writecheck.webhook', 'number'), greatest(1, (SELECT max(number) FROM writecheck.webhook)));
SELECT setval(pg_get_serial_sequence('writecheck.webhook_delivery', 'number'), greatest(1, (SELECT max(number) FROM writecheck.webhook_delivery)));
SELECT setval(pg_get_serial_sequence('writecheck.api_key', 'number'), greatest(1, (SELECT max(number) FROM writecheck.api_key)));
SELECT setval(pg_get_serial_sequence('writecheck.person', 'number'), greatest(1, (SELECT max(number) FROM writecheck.person)));
SET session_replication_role = DEFAULT;
