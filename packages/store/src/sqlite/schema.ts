/** The schema in SQLite: its version and its text. */
import { TABLES } from '../tables/operations.ts';
import { tablesForSqlite } from '../tables/schema.ts';

export const SCHEMA_VERSION = 1;

const TABLES_OF_LOG = `
-- One log is open at a time: SQLite has one write lock, so a log per process would gain nothing.
-- Positions count records over all logs of the file; a leaf's index is its position less its log's base.
CREATE TABLE log (
  log TEXT PRIMARY KEY,
  base INTEGER NOT NULL,
  size INTEGER NOT NULL,
  frontier BLOB NOT NULL,
  newest_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The log itself: one row per commit, keyed by the position of its first record. latest_ms never falls from row to
-- row, which makes it a time index that costs nothing.
CREATE TABLE segment (
  position INTEGER PRIMARY KEY,
  log TEXT NOT NULL,
  count INTEGER NOT NULL,
  oldest_ms INTEGER NOT NULL,
  latest_ms INTEGER NOT NULL,
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
-- The bytes of a day have a period of ten characters, everything else one of a month.
CREATE INDEX usage_by_day ON usage (period) WHERE length(period) = 10;

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
-- Most are kept for a day, those of a taken allow for longer.
CREATE INDEX idempotency_by_expiry ON idempotency (expires_ms);

-- Changes that caches in other processes must drop; only the newest rows are kept.
CREATE TABLE change (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  workspace TEXT NOT NULL,
  subject TEXT NOT NULL
) STRICT;

-- The id from which the first log's name is made, and which identifies this file.
CREATE TABLE identity (
  id TEXT NOT NULL
) STRICT;
INSERT INTO identity VALUES (lower(hex(randomblob(8))));
INSERT INTO log (log, base, size, frontier, newest_ms) SELECT 'log-' || id, 0, 0, x'0000000000000000', 0 FROM identity;

-- Roots of the complete subtrees of 256 leaves, of 256 times as many, and so on, for proofs. The
-- leaf hashes themselves are in the segments.
CREATE TABLE node (
  log TEXT NOT NULL,
  level INTEGER NOT NULL,
  number INTEGER NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (log, level, number)
) STRICT, WITHOUT ROWID;
`;

/** A commit reads the running bundle without its documents. */
const RUNNING_INDEX = `
CREATE INDEX policy_running ON policy (workspace, revision, digest, has_limits);
`;

export const SCHEMA = TABLES_OF_LOG + tablesForSqlite(TABLES) + RUNNING_INDEX;
