/** Webhooks in SQLite: their tables, and which policy revisions loosened. */

export const WEBHOOKS = `
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
  leased_until_ms INTEGER NOT NULL
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

ALTER TABLE policy ADD COLUMN loosens INTEGER NOT NULL DEFAULT 0;
`;
