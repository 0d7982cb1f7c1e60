/** Who revoked a key, and what happened to a person. */
export const WHO = `
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
`;
