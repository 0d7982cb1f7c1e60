/** People in PostgreSQL: their tables, and the one statement that changes a person together with the log. */
import { PEOPLE_MAX } from '../port/people.ts';

export const PEOPLE = `
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
    IF v_rows >= ${PEOPLE_MAX} THEN RAISE 'too_many_people' USING ERRCODE = 'WC002'; END IF;
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
`;
