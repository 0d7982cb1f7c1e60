/**
 * Converts a database of the last schema before the first release. It can be deleted one release later, together with
 * its test.
 */
import { CHANGED_TABLES, NEW_TABLES } from '../convert-tables.ts';
import { KEY_TABLE } from '../tables/keys.ts';
import { tablesForSqlite } from '../tables/schema.ts';
import { IDEMPOTENCY_INDEX, REFUSE_UNAWARE, RUNNING_INDEX } from './schema.ts';

export const CONVERTED_VERSION = 12;

const COLUMNS = `number, id, workspace, kind, name, hash, hint, created_ms, expires_ms, last_used_ms, revoked_ms, revoked_by,
  rotated_ms, rotated_from, held_by, made_by, allowed_systems, allowed_workflows`;

/**
 * SQLite cannot change the check of a column, so the table is rewritten. Kept responses are removed: their keys
 * have another form than in this version, where they belong to an API key.
 */
export const CONVERSION = `
ALTER TABLE api_key RENAME TO old_key;
DROP INDEX api_key_by_workspace;
${tablesForSqlite(KEY_TABLE)}
INSERT INTO api_key (${COLUMNS}) SELECT ${COLUMNS} FROM old_key;
DROP TABLE old_key;
DELETE FROM idempotency;
ALTER TABLE segment RENAME COLUMN horizon_ms TO latest_ms;
${tablesForSqlite(CHANGED_TABLES)}${RUNNING_INDEX}${IDEMPOTENCY_INDEX}${tablesForSqlite(NEW_TABLES)}${REFUSE_UNAWARE}`;
