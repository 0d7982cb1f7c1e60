/** The tables of people, reviews, webhooks and impact runs in SQLite. */
export const TABLES_OF_MANAGEMENT = `
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

`;
