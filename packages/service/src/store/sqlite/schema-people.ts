/** People, their passkeys and sessions, and one-time values; and which person made or holds something. */

export const PEOPLE = `
CREATE TABLE person (
  number INTEGER PRIMARY KEY,
  workspace TEXT NOT NULL REFERENCES workspace (id),
  id TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL,
  roles TEXT NOT NULL,
  group_names TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('invited', 'active', 'disabled')),
  epoch INTEGER NOT NULL,
  invitation_hash TEXT UNIQUE,
  invitation_expires_ms INTEGER,
  invitation_by TEXT,
  oidc_issuer TEXT,
  oidc_subject TEXT,
  created_ms INTEGER NOT NULL,
  last_seen_ms INTEGER,
  UNIQUE (workspace, email_key),
  UNIQUE (workspace, oidc_issuer, oidc_subject)
) STRICT;

CREATE TABLE credential (
  id TEXT PRIMARY KEY,
  workspace TEXT NOT NULL,
  person TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  public_key TEXT NOT NULL,
  algorithm INTEGER NOT NULL,
  sign_count INTEGER NOT NULL,
  transports TEXT NOT NULL,
  registered_ms INTEGER NOT NULL,
  invited_by TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX credential_by_person ON credential (person);

CREATE TABLE session (
  hash TEXT PRIMARY KEY,
  workspace TEXT NOT NULL,
  person TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  sign_in TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  last_used_ms INTEGER NOT NULL,
  ended_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_expiry ON session (expires_ms);

CREATE TABLE one_time (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  payload TEXT NOT NULL,
  expires_ms INTEGER NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX one_time_by_expiry ON one_time (expires_ms);

ALTER TABLE api_key ADD COLUMN held_by TEXT;
ALTER TABLE api_key ADD COLUMN made_by TEXT;
ALTER TABLE policy ADD COLUMN author_person TEXT;
`;
