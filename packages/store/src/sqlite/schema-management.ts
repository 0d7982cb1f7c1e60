/** The tables of people, reviews, webhooks and impact runs in SQLite. */
export const TABLES_OF_MANAGEMENT = `
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
  history TEXT,
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

-- place sorts open ones first, and lists filter by tags.
CREATE TABLE review (
  number INTEGER PRIMARY KEY,
  workspace TEXT NOT NULL,
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  state TEXT NOT NULL,
  place INTEGER NOT NULL,
  intent_digest TEXT NOT NULL,
  key_kind TEXT NOT NULL,
  system TEXT NOT NULL,
  object_ref TEXT,
  likeness TEXT NOT NULL,
  control_ids TEXT NOT NULL,
  asked_by TEXT NOT NULL,
  first_asker TEXT NOT NULL,
  opened_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  resolved_ms INTEGER,
  document TEXT NOT NULL,
  UNIQUE (workspace, id)
) STRICT;
-- INVARIANT: one review of a write and kind of key is open at a time.
CREATE UNIQUE INDEX review_open_of_write ON review (workspace, intent_digest, key_kind) WHERE state = 'open';
CREATE INDEX review_open_of_key ON review (workspace, first_asker) WHERE state = 'open';
CREATE INDEX review_open_by_expiry ON review (expires_ms, id, opened_ms) WHERE state = 'open';
CREATE INDEX review_by_write ON review (workspace, intent_digest, key_kind, opened_ms, id);
CREATE INDEX review_by_likeness ON review (workspace, likeness, coalesce(resolved_ms, opened_ms), id);
CREATE INDEX review_by_asker ON review (workspace, first_asker, opened_ms);

CREATE TABLE review_tag (
  workspace TEXT NOT NULL,
  tag TEXT NOT NULL,
  place INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (workspace, tag, place, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX review_tag_by_review ON review_tag (workspace, id);

CREATE TABLE webhook (
  number INTEGER PRIMARY KEY,
  workspace TEXT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  format TEXT NOT NULL,
  description TEXT,
  state TEXT NOT NULL,
  because TEXT,
  signer TEXT NOT NULL,
  rotation INTEGER NOT NULL,
  rotated_ms INTEGER,
  created_ms INTEGER NOT NULL,
  cursor TEXT NOT NULL,
  holder TEXT NOT NULL,
  leased_until_ms INTEGER NOT NULL,
  sealed TEXT,
  sealed_before TEXT
) STRICT;
CREATE INDEX webhook_by_workspace ON webhook (workspace, number);
CREATE INDEX webhook_active ON webhook (signer) WHERE state = 'active';

CREATE TABLE webhook_delivery (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook TEXT NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  data TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  status INTEGER,
  next_ms INTEGER,
  UNIQUE (webhook, id)
) STRICT;
CREATE INDEX webhook_delivery_by_webhook ON webhook_delivery (webhook, number);
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook, next_ms, number) WHERE state = 'waiting';

-- Tests and redeliveries that a workspace sent in its current window, over all processes.
CREATE TABLE webhook_call (
  workspace TEXT PRIMARY KEY,
  since_ms INTEGER NOT NULL,
  calls INTEGER NOT NULL
) STRICT;

CREATE TABLE impact_run (
  workspace TEXT NOT NULL,
  id TEXT NOT NULL,
  state TEXT NOT NULL,
  started_ms INTEGER NOT NULL,
  finished_ms INTEGER,
  leased_until_ms INTEGER NOT NULL,
  because TEXT,
  digest TEXT,
  done INTEGER NOT NULL,
  total INTEGER NOT NULL,
  settings TEXT NOT NULL,
  report TEXT NOT NULL,
  PRIMARY KEY (workspace, id)
) STRICT;
-- INVARIANT: one run of a workspace at a time.
CREATE UNIQUE INDEX impact_run_running ON impact_run (workspace) WHERE state = 'running';
CREATE INDEX impact_run_by_start ON impact_run (started_ms);

CREATE TABLE assessment (
  workspace TEXT NOT NULL,
  id TEXT NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (workspace, id)
) STRICT;

CREATE TABLE pruned_day (
  workspace TEXT NOT NULL,
  day TEXT NOT NULL,
  decisions INTEGER NOT NULL,
  PRIMARY KEY (workspace, day)
) STRICT, WITHOUT ROWID;
`;
