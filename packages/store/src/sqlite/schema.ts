/** The schema in SQLite: its version and its text. */
import { TABLES_OF_LIMITS } from './schema-limits.ts';
import { TABLES_OF_MANAGEMENT } from './schema-management.ts';
import { TABLES_OF_STOPS } from './schema-stops.ts';

/** Earlier versions had other numbers; `convert.ts` knows the newest of them. */
export const SCHEMA_VERSION = 13;

export const KEYS = `
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
  -- Who revoked it, as JSON.
  revoked_by TEXT,
  -- Set once a rotation has replaced it: a key whose expiry is only its grace period must not be rotated again.
  rotated_ms INTEGER,
  -- The key that it replaced: the new one sees what the old one asked for; lineage is the first of them.
  rotated_from TEXT,
  lineage TEXT,
  held_by TEXT,
  made_by TEXT,
  -- Of a service key, as JSON.
  roles TEXT,
  allowed_systems TEXT,
  allowed_workflows TEXT
) STRICT;
CREATE INDEX api_key_by_workspace ON api_key (workspace);
`;

/** Most are kept for a day, those of an allow that was taken for longer. */
export const IDEMPOTENCY_INDEX = `
CREATE INDEX idempotency_by_expiry ON idempotency (expires_ms);
`;

const TABLES_OF_LOG = `
CREATE TABLE workspace (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  live_granted INTEGER NOT NULL,
  -- How often it has moved, and where to: null if it lives here; see tables/moves.ts.
  moves INTEGER NOT NULL DEFAULT 0,
  moved_to TEXT
) STRICT;

${KEYS}

-- One log is open at a time: SQLite has one write lock, so a log per process would win nothing.
-- Positions count records over all logs of the file; a leaf's index is its position less its log's base.
CREATE TABLE log (
  log TEXT PRIMARY KEY,
  base INTEGER NOT NULL,
  size INTEGER NOT NULL,
  frontier BLOB NOT NULL,
  newest_ms INTEGER NOT NULL,
  -- Rises with every append of a program that knows freezes.
  knows_freezes INTEGER NOT NULL DEFAULT 0,
  -- Whether it came with a workspace from another store. Its base is negative, and far from any other.
  is_received INTEGER NOT NULL DEFAULT 0
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
${IDEMPOTENCY_INDEX}
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
  author_person TEXT,
  -- Whether it may be looser than the one it replaced.
  loosens INTEGER NOT NULL DEFAULT 0,
  message TEXT,
  -- Whether it has a Limit: then a check is committed only under the running bundle.
  has_limits INTEGER NOT NULL DEFAULT 0,
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
INSERT INTO log (log, base, size, frontier, newest_ms) SELECT 'log-' || id, 0, 0, x'0000000000000000', 0 FROM identity;

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

/** Also for the conversion. */
export const TABLES_OF_ERASURE = `
-- Decisions that were erased by their ids; settled once nothing that follows them is left.
CREATE TABLE erased_decision (
  workspace TEXT NOT NULL,
  decision_id TEXT NOT NULL,
  is_settled INTEGER NOT NULL,
  PRIMARY KEY (workspace, decision_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX erased_unsettled ON erased_decision (workspace) WHERE NOT is_settled;

-- Everything of the workspace that was decided earlier was erased.
CREATE TABLE erased_before (
  workspace TEXT PRIMARY KEY,
  before_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

export const SCHEMA =
  TABLES_OF_LOG + TABLES_OF_ERASURE + TABLES_OF_MANAGEMENT + TABLES_OF_LIMITS + TABLES_OF_STOPS;
