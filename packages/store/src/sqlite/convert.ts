/**
 * Converts a database of the last schema before the first release. It can be deleted one release later, together with
 * its test.
 */
import { TABLES as TABLES_OF_ERASURE } from '../tables/erasures.ts';
import { TABLES as TABLES_OF_FREEZES } from '../tables/freezes.ts';
import { KEY_TABLE } from '../tables/keys.ts';
import { TABLES as TABLES_OF_LIMITS } from '../tables/limits.ts';
import { TABLES as TABLES_OF_OUTCOMES } from '../tables/outcomes.ts';
import { tablesForSqlite } from '../tables/schema.ts';
import { IDEMPOTENCY_INDEX, REFUSE_UNAWARE, RUNNING_INDEX } from './schema.ts';

export const CONVERTED_VERSION = 12;

const COLUMNS = `number, id, workspace, kind, name, hash, hint, created_ms, expires_ms, last_used_ms, revoked_ms, revoked_by,
  rotated_ms, rotated_from, held_by, made_by, allowed_systems, allowed_workflows`;

/**
 * SQLite cannot change the check of a column, so the table is written again. Kept responses go: their keys are not those
 * of this version, which belong to an API key.
 */
export const CONVERSION = `
ALTER TABLE api_key RENAME TO old_key;
DROP INDEX api_key_by_workspace;
${tablesForSqlite(KEY_TABLE)}
INSERT INTO api_key (${COLUMNS}) SELECT ${COLUMNS} FROM old_key;
DROP TABLE old_key;
DELETE FROM idempotency;
ALTER TABLE policy ADD COLUMN has_limits INTEGER NOT NULL DEFAULT 0;
ALTER TABLE webhook ADD COLUMN sealed TEXT;
ALTER TABLE webhook ADD COLUMN sealed_before TEXT;
${RUNNING_INDEX}${IDEMPOTENCY_INDEX}
ALTER TABLE segment RENAME COLUMN horizon_ms TO latest_ms;
ALTER TABLE log ADD COLUMN knows_freezes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE log ADD COLUMN is_received INTEGER NOT NULL DEFAULT 0;
ALTER TABLE workspace ADD COLUMN moves INTEGER NOT NULL DEFAULT 0;
ALTER TABLE workspace ADD COLUMN moved_to TEXT;
${tablesForSqlite(TABLES_OF_LIMITS + TABLES_OF_FREEZES + TABLES_OF_OUTCOMES + TABLES_OF_ERASURE)}${REFUSE_UNAWARE}
INSERT INTO erased_decision SELECT workspace, decision_id, 0 FROM forgotten_decision WHERE workspace <> '';
DROP TABLE forgotten_decision;`;
