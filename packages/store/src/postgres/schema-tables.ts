/** The tables of keys, logs, commits and the search index in PostgreSQL. */
import { searchTables } from '../index/search-tables.ts';
import { tablesForPostgres } from '../tables/schema.ts';

/** A segment whose times span more than this counts as long. */
export const SPAN_USUAL_MS = 30_000;

export const TABLES_OF_LOG = `
-- One log for each writer. The one named in writer may append until leased_until, or longer if nobody takes it over.
-- Rows are rewritten with every commit, in place as long as their page has room.
CREATE TABLE writecheck.log (
  number integer PRIMARY KEY,
  log text NOT NULL UNIQUE,
  size bigint NOT NULL,
  frontier bytea NOT NULL,
  newest_ms bigint NOT NULL,
  is_open boolean NOT NULL,
  writer text NOT NULL,
  leased_until timestamptz NOT NULL
) WITH (fillfactor = 20);

-- The log itself: one row per commit, by the position of its first record. A record's time lies from oldest_ms to
-- latest_ms. Rows in which the two are far apart are rare and have an index of their own.
CREATE TABLE writecheck.segment (
  position bigint PRIMARY KEY,
  count integer NOT NULL,
  oldest_ms bigint NOT NULL,
  latest_ms bigint NOT NULL,
  leaf_hashes bytea NOT NULL,
  body bytea NOT NULL
);
-- Large values come compressed already.
ALTER TABLE writecheck.segment ALTER COLUMN body SET STORAGE EXTERNAL, ALTER COLUMN leaf_hashes SET STORAGE EXTERNAL;
CREATE INDEX segment_by_time ON writecheck.segment (latest_ms, oldest_ms);
CREATE INDEX segment_long ON writecheck.segment (latest_ms) WHERE latest_ms - oldest_ms > ${SPAN_USUAL_MS};

-- If there is no limit, each writer counts for itself, so that no writer waits for another; otherwise log is -1.
CREATE TABLE writecheck.usage (
  workspace text NOT NULL,
  period text NOT NULL,
  kind text NOT NULL,
  log integer NOT NULL,
  used bigint NOT NULL,
  PRIMARY KEY (workspace, period, kind, log)
) WITH (fillfactor = 50);
-- The bytes of a day have a period of ten characters, everything else one of a month.
CREATE INDEX usage_by_day ON writecheck.usage (period) WHERE length(period) = 10;

CREATE TABLE writecheck.idempotency (
  workspace text NOT NULL,
  key text NOT NULL,
  request_digest text NOT NULL,
  claimed_ms bigint NOT NULL DEFAULT 0,
  expires_ms bigint NOT NULL,
  replayable_while text NOT NULL,
  response bytea NOT NULL,
  PRIMARY KEY (workspace, key)
);
CREATE INDEX idempotency_by_expiry ON writecheck.idempotency (expires_ms);

-- Changes that caches in every process must drop; only the newest rows are kept. They are numbered under the lock of the
-- one row of change_count, so that a later number never becomes visible before an earlier one.
CREATE TABLE writecheck.change (
  number bigint PRIMARY KEY,
  kind text NOT NULL,
  workspace text NOT NULL,
  subject text NOT NULL
);
CREATE TABLE writecheck.change_count (newest bigint NOT NULL);
INSERT INTO writecheck.change_count VALUES (0);

-- Roots of the complete subtrees of 256 leaves, of 256 times as many, and so on.
CREATE TABLE writecheck.node (
  log integer NOT NULL,
  level integer NOT NULL,
  number bigint NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (log, level, number)
);

-- Entries that a process knew to be recorded and the log lacks. Rows stay as history; restored_ms says when logs were continued.
CREATE TABLE writecheck.lost_entries (
  log text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  reported_ms bigint NOT NULL,
  restored_ms bigint,
  PRIMARY KEY (log, size)
);

-- The search index: derived from the segments; indexed says how far it has read each log.
CREATE TABLE writecheck.indexed (
  log integer PRIMARY KEY,
  size bigint NOT NULL
);
${tablesForPostgres(searchTables('text'))}
CREATE INDEX decision_by_time ON writecheck.decision (workspace, at_ms, position);
-- Texts may be too long for an index entry; their hashes are not.
CREATE INDEX decision_by_object ON writecheck.decision (workspace, md5(object_ref), at_ms) WHERE object_ref IS NOT NULL;
`;
