/** The tables of people, reviews, webhooks and impact runs in PostgreSQL. */
export const TABLES_OF_MANAGEMENT = `
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
  history text,
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

-- Tests and redeliveries that a workspace sent in its current window, over all processes.
CREATE TABLE writecheck.webhook_call (
  workspace text COLLATE "C" PRIMARY KEY,
  since_ms bigint NOT NULL,
  calls integer NOT NULL
);

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
`;
