/** The functions and triggers that run in PostgreSQL: the steps that must be one statement, and triggers. */
import { BYTES } from '../commit/stored-bytes.ts';
import { UNTAKEN } from '../port/commit.ts';

/** The steps that must be one statement, so that they take one round trip and one transaction. */
export const FUNCTIONS = `
-- Takes the log this writer had, otherwise a log that nobody holds, otherwise creates a log. The time of a new log follows
-- only open logs: a log that was continued from an earlier time, after a clock had been ahead, does not count.
CREATE FUNCTION writecheck.claim_log(p_writer text, p_new_log text, p_lease interval)
RETURNS SETOF writecheck.log LANGUAGE plpgsql AS $$
DECLARE
  v_number integer;
BEGIN
  -- Claims are rare, so taking them one at a time is simple and fast enough.
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

-- Appends one segment to a log, whose row the caller has locked.
CREATE FUNCTION writecheck.append(
  p_log integer, p_lease interval, p_frontier bytea, p_newest_ms bigint,
  p_count integer, p_oldest_ms bigint, p_latest_ms bigint, p_leaf_hashes bytea, p_body bytea,
  p_node_levels integer[], p_node_numbers bigint[], p_node_hashes bytea[]
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- The response leaves only after the sync, whatever the server or the role has set.
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
    leased_until = clock_timestamp() + p_lease
    WHERE number = p_log;
END $$;

-- One group commit. It checks what its caller assumed: 'moved' if the caller no longer holds the log at that size,
-- 'changed' if a limit, a key, an attestation or the number of freezes differs, or the caller may no longer ask. Then it
-- writes nothing. Lists are sorted, so that two commits never wait for each other in a circle.
CREATE FUNCTION writecheck.commit(
  p_log integer, p_writer text, p_size bigint, p_lease interval, p_frontier bytea, p_newest_ms bigint,
  p_count integer, p_oldest_ms bigint, p_latest_ms bigint, p_leaf_hashes bytea, p_body bytea,
  p_node_levels integer[], p_node_numbers bigint[], p_node_hashes bytea[],
  p_use_workspaces text[], p_use_periods text[], p_use_kinds text[], p_use_counts bigint[], p_use_limits bigint[],
  p_key_workspaces text[], p_keys text[], p_key_digests text[], p_key_claimed bigint[], p_key_expires bigint[],
  p_key_whiles text[], p_key_responses bytea[], p_key_replaces boolean[],
  p_used_workspaces text[], p_used_sources text[], p_used_jtis text[],
  p_rest_workspaces text[], p_rest_sources text[], p_rest_jtis text[], p_asking_keys text[],
  p_freeze_workspaces text[], p_freeze_numbers bigint[],
  p_bundle_workspaces text[], p_bundle_digests text[], p_bundle_limits boolean[],
  p_redeem_workspaces text[], p_redeem_decisions text[], p_redeem_keys text[],
  p_redeem_ms bigint[],
  p_store_workspaces text[], p_store_days text[], p_store_bytes bigint[],
  p_store_limited boolean[], p_store_most bigint,
  OUT status text, OUT used bigint[]
) LANGUAGE plpgsql AS $$
DECLARE
  v_total bigint;
  v_rows bigint;
BEGIN
  PERFORM 1 FROM writecheck.log
    WHERE number = p_log AND writer = p_writer AND size = p_size AND is_open FOR NO KEY UPDATE;
  IF NOT FOUND THEN status := 'moved'; RETURN; END IF;
  -- A freeze holds the row above until its commit. Its changes are visible here only if every statement takes a new snapshot.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE 'not read committed' USING ERRCODE = 'WC006';
  END IF;
  -- So does a suspension.
  PERFORM 1 FROM unnest(p_freeze_workspaces, p_freeze_numbers) AS f (workspace, number)
    LEFT JOIN writecheck.freeze_number n USING (workspace) LEFT JOIN writecheck.workspace w ON w.id = f.workspace
    WHERE coalesce(n.number, 0) <> f.number OR w.state IS DISTINCT FROM 'active';
  IF FOUND THEN status := 'changed'; RETURN; END IF;

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
  PERFORM 1 FROM writecheck.api_key k WHERE k.id = ANY (p_asking_keys) AND (k.revoked_ms IS NOT NULL
    OR EXISTS (SELECT 1 FROM writecheck.person p WHERE p.id = k.held_by AND p.state = 'disabled'));
  IF FOUND THEN status := 'changed'; RETURN; END IF;
  -- Applying a bundle with limits holds every log, so the running bundle cannot change until this commit ends.
  PERFORM 1 FROM unnest(p_bundle_workspaces, p_bundle_digests, p_bundle_limits) AS b (workspace, digest, has_limits)
    LEFT JOIN LATERAL (SELECT p.digest, p.has_limits FROM writecheck.policy p WHERE p.workspace = b.workspace
      ORDER BY p.revision DESC LIMIT 1) AS r ON true
    WHERE r.digest IS DISTINCT FROM b.digest AND (b.has_limits OR coalesce(r.has_limits, false));
  IF FOUND THEN status := 'changed'; RETURN; END IF;
  IF cardinality(p_rest_jtis) > 0 THEN
    PERFORM 1 FROM unnest(p_rest_workspaces, p_rest_sources, p_rest_jtis) AS r (workspace, source, jti)
      JOIN writecheck.revoked_attestation USING (workspace, source, jti);
    IF FOUND THEN status := 'changed'; RETURN; END IF;
  END IF;
  IF cardinality(p_keys) > 0 THEN
    PERFORM 1 FROM unnest(p_key_workspaces, p_keys, p_key_claimed, p_key_replaces) AS k (workspace, key, claimed, replaces)
      JOIN writecheck.idempotency i USING (workspace, key)
      WHERE i.expires_ms > k.claimed AND NOT (k.replaces AND starts_with(i.request_digest, '${UNTAKEN}'));
    IF FOUND THEN status := 'changed'; RETURN; END IF;
  END IF;
  IF cardinality(p_used_jtis) > 0 THEN
    PERFORM 1 FROM unnest(p_used_workspaces, p_used_sources, p_used_jtis) AS c (workspace, source, jti)
      JOIN writecheck.consumed_attestation USING (workspace, source, jti);
    IF FOUND THEN status := 'changed'; RETURN; END IF;
  END IF;

  -- The writes begin here. If another transaction has been faster since the reads above, this one ends as a whole.
  IF cardinality(p_keys) > 0 THEN
    INSERT INTO writecheck.idempotency AS i
      SELECT * FROM unnest(p_key_workspaces, p_keys, p_key_digests, p_key_claimed, p_key_expires, p_key_whiles,
        p_key_responses)
      ON CONFLICT (workspace, key) DO UPDATE SET request_digest = excluded.request_digest,
        claimed_ms = excluded.claimed_ms, expires_ms = excluded.expires_ms,
        replayable_while = excluded.replayable_while, response = excluded.response
      WHERE i.expires_ms <= excluded.claimed_ms OR starts_with(i.request_digest, '${UNTAKEN}');
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows <> cardinality(p_keys) THEN RAISE 'an idempotency key was taken' USING ERRCODE = 'WC001'; END IF;
  END IF;
  IF cardinality(p_used_jtis) > 0 THEN
    INSERT INTO writecheck.consumed_attestation
      SELECT * FROM unnest(p_used_workspaces, p_used_sources, p_used_jtis) ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows <> cardinality(p_used_jtis) THEN RAISE 'an attestation was used up' USING ERRCODE = 'WC001'; END IF;
  END IF;
  IF cardinality(p_redeem_decisions) > 0 THEN
    INSERT INTO writecheck.redemption (workspace, decision_id, key_id, redeemed_ms)
      SELECT * FROM unnest(p_redeem_workspaces, p_redeem_decisions, p_redeem_keys, p_redeem_ms);
  END IF;
  -- The bytes of a day are counted together only if the workspace has a ceiling.
  IF p_store_most IS NOT NULL THEN
    FOR i IN 1 .. cardinality(p_store_days) LOOP
      PERFORM 1 FROM writecheck.workspace w WHERE w.id = p_store_workspaces[i] AND w.signed_up AND NOT w.live_granted;
      CONTINUE WHEN NOT FOUND;
      INSERT INTO writecheck.usage AS u VALUES (p_store_workspaces[i], p_store_days[i], '${BYTES}', -1, p_store_bytes[i])
        ON CONFLICT (workspace, period, kind, log) DO UPDATE SET used = u.used + excluded.used
        WHERE u.used + excluded.used <= p_store_most OR NOT p_store_limited[i];
      GET DIAGNOSTICS v_rows = ROW_COUNT;
      IF v_rows = 0 OR (p_store_limited[i] AND p_store_bytes[i] > p_store_most) THEN
        RAISE 'the bytes of a day are used up' USING ERRCODE = 'WC001';
      END IF;
    END LOOP;
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
  INSERT INTO writecheck.usage AS u
    SELECT s.workspace, left(s.day, 7), '${BYTES}', p_log, sum(s.bytes)
    FROM unnest(p_store_workspaces, p_store_days, p_store_bytes) AS s (workspace, day, bytes)
    GROUP BY s.workspace, left(s.day, 7) ORDER BY 1, 2
    ON CONFLICT (workspace, period, kind, log) DO UPDATE SET used = u.used + excluded.used;
  PERFORM writecheck.append(p_log, p_lease, p_frontier, p_newest_ms, p_count, p_oldest_ms, p_latest_ms,
    p_leaf_hashes, p_body, p_node_levels, p_node_numbers, p_node_hashes);
  status := 'done';
END $$;

-- A trigger checks it, so that it holds for every way to append.
CREATE FUNCTION writecheck.refuse_lost() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM writecheck.lost_entries WHERE restored_ms IS NULL;
  IF FOUND THEN RAISE 'entries of a log were lost' USING ERRCODE = 'WC004'; END IF;
  PERFORM 1 FROM writecheck.checkpoint c
    WHERE c.log = OLD.log AND (c.size > OLD.size OR (c.size = OLD.size AND c.frontier <> OLD.frontier));
  IF FOUND THEN RAISE 'the log lacks entries that were signed' USING ERRCODE = 'WC004'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse_lost BEFORE UPDATE OF size ON writecheck.log FOR EACH ROW
  WHEN (NEW.size <> OLD.size) EXECUTE FUNCTION writecheck.refuse_lost();

-- Leases use the server's clock, which all replicas share.
CREATE FUNCTION writecheck.lease_now() RETURNS bigint LANGUAGE sql AS $$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;
`;
