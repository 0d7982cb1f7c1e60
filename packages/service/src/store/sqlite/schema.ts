/** The tables, as a list of migrations that is only ever extended. */

import { IMPACT } from './schema-impact.ts';
import { MESSAGES } from './schema-messages.ts';
import { PEOPLE } from './schema-people.ts';
import { RECOVERY } from './schema-recovery.ts';
import { WEBHOOK_CALLS } from './schema-webhook-calls.ts';
import { WEBHOOKS } from './schema-webhooks.ts';
import { WHO } from './schema-who.ts';

const FIRST = `
CREATE TABLE workspace (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  live_granted INTEGER NOT NULL
) STRICT;

CREATE TABLE api_key (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace TEXT NOT NULL REFERENCES workspace (id),
  kind TEXT NOT NULL CHECK (kind IN ('development', 'live', 'owner', 'service')),
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  hint TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER,
  last_used_ms INTEGER,
  revoked_ms INTEGER,
  allowed_systems TEXT,
  allowed_workflows TEXT
) STRICT;
CREATE INDEX api_key_by_workspace ON api_key (workspace);

-- One log is open at a time: SQLite has one write lock, so a log per process would win nothing.
-- Positions count records over all logs of the file; a leaf's index is its position less its log's base.
CREATE TABLE log (
  log TEXT PRIMARY KEY,
  base INTEGER NOT NULL,
  size INTEGER NOT NULL,
  frontier BLOB NOT NULL,
  newest_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The truth: one row per commit, keyed by the position of its first record. horizon_ms never falls from row to
-- row, which makes it a time index that costs nothing.
CREATE TABLE segment (
  position INTEGER PRIMARY KEY,
  log TEXT NOT NULL,
  count INTEGER NOT NULL,
  oldest_ms INTEGER NOT NULL,
  horizon_ms INTEGER NOT NULL,
  leaf_hashes BLOB NOT NULL,
  body BLOB NOT NULL
) STRICT;

CREATE TABLE usage (
  workspace TEXT NOT NULL,
  period TEXT NOT NULL,
  kind TEXT NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY (workspace, period, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  number INTEGER PRIMARY KEY,
  workspace TEXT NOT NULL,
  key TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  expires_ms INTEGER NOT NULL,
  replayable_while TEXT NOT NULL,
  response BLOB NOT NULL,
  UNIQUE (workspace, key)
) STRICT;

CREATE TABLE consumed_attestation (
  workspace TEXT NOT NULL,
  source TEXT NOT NULL,
  jti TEXT NOT NULL,
  PRIMARY KEY (workspace, source, jti)
) STRICT, WITHOUT ROWID;

CREATE TABLE revoked_attestation (
  workspace TEXT NOT NULL,
  source TEXT NOT NULL,
  jti TEXT NOT NULL,
  revoked_ms INTEGER NOT NULL,
  PRIMARY KEY (workspace, source, jti)
) STRICT, WITHOUT ROWID;

CREATE TABLE policy (
  workspace TEXT NOT NULL REFERENCES workspace (id),
  revision INTEGER NOT NULL,
  digest TEXT NOT NULL,
  documents TEXT NOT NULL,
  author_key TEXT,
  created_ms INTEGER NOT NULL,
  rollback_of INTEGER,
  PRIMARY KEY (workspace, revision)
) STRICT;

CREATE TABLE redemption (
  workspace TEXT NOT NULL,
  decision_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  redeemed_ms INTEGER NOT NULL,
  idempotency_key TEXT,
  PRIMARY KEY (workspace, decision_id)
) STRICT, WITHOUT ROWID;

-- What caches in other processes must forget; only the newest rows are kept.
CREATE TABLE change (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  workspace TEXT NOT NULL,
  subject TEXT NOT NULL
) STRICT;

-- Makes a log's name, and tells this file from any other.
CREATE TABLE identity (
  id TEXT NOT NULL
) STRICT;
INSERT INTO identity VALUES (lower(hex(randomblob(8))));
INSERT INTO log SELECT 'log-' || id, 0, 0, x'0000000000000000', 0 FROM identity;

-- Roots of the complete subtrees of 256 leaves, of 256 times as many, and so on: what proofs are read from. The
-- leaf hashes themselves stand in the segments.
CREATE TABLE node (
  log TEXT NOT NULL,
  level INTEGER NOT NULL,
  number INTEGER NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (log, level, number)
) STRICT, WITHOUT ROWID;

-- The newest one of each log.
CREATE TABLE checkpoint (
  log TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  note TEXT NOT NULL,
  frontier BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE verifier_key (
  number INTEGER PRIMARY KEY,
  line TEXT NOT NULL UNIQUE,
  published_ms INTEGER NOT NULL
) STRICT;
`;

/** From here on segments may be compressed, which a program of the first version cannot read. */
const COMPRESSED = '';

/** When a key was replaced; a key whose expiry is only its grace period must not be rotated again. */
const ROTATED = 'ALTER TABLE api_key ADD COLUMN rotated_ms INTEGER;';

/** Reviews; `place` sorts open ones first, and lists filter by tags. */
const REVIEWS = `
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
`;

/** Which key a key replaced: the new one sees what the old one asked for. */
const ROTATED_FROM = 'ALTER TABLE api_key ADD COLUMN rotated_from TEXT;';

/** What a service key may do, and the first of the keys that a key replaced. */
const KEY_SCOPE = `
ALTER TABLE api_key ADD COLUMN roles TEXT;
ALTER TABLE api_key ADD COLUMN lineage TEXT;
`;

export const MIGRATIONS: readonly string[] = [
  FIRST,
  COMPRESSED,
  ROTATED,
  REVIEWS,
  ROTATED_FROM,
  PEOPLE,
  WEBHOOKS,
  IMPACT,
  RECOVERY,
  WEBHOOK_CALLS,
  MESSAGES,
  WHO,
  KEY_SCOPE,
];
