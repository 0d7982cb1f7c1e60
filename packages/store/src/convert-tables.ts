/**
 * The part of converting a store of the last schema before the first release that both databases share, in the
 * form of `tables/schema.ts`. It can be deleted one release later, with the two files that use it.
 */
import { TABLES as TABLES_OF_ERASURE } from './tables/erasures.ts';
import { TABLES as TABLES_OF_FREEZES } from './tables/freezes.ts';
import { TABLES as TABLES_OF_LIMITS } from './tables/limits.ts';
import { TABLES as TABLES_OF_OUTCOMES } from './tables/outcomes.ts';
import { RENAME_TABLE } from './tables/workspaces.ts';

export const CHANGED_TABLES = `
ALTER TABLE writecheck.policy ADD COLUMN
  has_limits boolean NOT NULL DEFAULT false;
ALTER TABLE writecheck.webhook ADD COLUMN
  sealed text;
ALTER TABLE writecheck.webhook ADD COLUMN
  sealed_before text;
ALTER TABLE writecheck.log ADD COLUMN
  knows_freezes bigint NOT NULL DEFAULT 0;
ALTER TABLE writecheck.log ADD COLUMN
  is_received boolean NOT NULL DEFAULT false;
ALTER TABLE writecheck.workspace ADD COLUMN
  moves bigint NOT NULL DEFAULT 0;
ALTER TABLE writecheck.workspace ADD COLUMN
  moved_to text;
ALTER TABLE writecheck.workspace ADD COLUMN
  arrived_ms bigint;
`;

export const NEW_TABLES = `
${TABLES_OF_LIMITS}${TABLES_OF_FREEZES}${TABLES_OF_OUTCOMES}${TABLES_OF_ERASURE}${RENAME_TABLE}
INSERT INTO writecheck.erased_decision SELECT workspace, decision_id, false FROM writecheck.forgotten_decision WHERE workspace <> '';
DROP TABLE writecheck.forgotten_decision;
WITH RECURSIVE behind (id, first) AS (SELECT id, id FROM writecheck.api_key WHERE rotated_from IS NULL
UNION SELECT k.id, b.first FROM writecheck.api_key k JOIN behind b ON k.rotated_from = b.id)
UPDATE writecheck.api_key SET lineage = (SELECT first FROM behind WHERE behind.id = api_key.id) WHERE rotated_from IS NOT NULL;
`;
