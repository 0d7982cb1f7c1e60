/** The tables of people, reviews, webhooks and impact runs in PostgreSQL. */
export const TABLES_OF_MANAGEMENT = `
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
  leased_until_ms bigint NOT NULL,
  sealed text,
  sealed_before text
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

`;
