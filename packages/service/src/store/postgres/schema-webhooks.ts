/** Webhooks in PostgreSQL: their tables, and which policy revisions loosened. */

export const WEBHOOKS = `
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
`;
