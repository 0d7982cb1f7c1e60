/**
 * Converts a database of the last schema before the first release. It can be deleted one release later, together with
 * its test. Replicas of that version must be stopped first: the functions that they call go.
 */
import { TABLES as TABLES_OF_ERASURE } from '../tables/erasures.ts';
import { TABLES as TABLES_OF_FREEZES } from '../tables/freezes.ts';
import { TABLES as TABLES_OF_LIMITS } from '../tables/limits.ts';
import { TABLES as TABLES_OF_OUTCOMES } from '../tables/outcomes.ts';
import { tablesForPostgres } from '../tables/schema.ts';
import { FUNCTIONS } from './schema-functions.ts';
import { REFUSE_UNAWARE } from './schema-stops.ts';

export const CONVERTED_VERSION = 14;

const OLD_FUNCTIONS = [
  'claim_log_v1',
  'claim_log_v2',
  'append_v1',
  'commit_v1',
  'redeem_v1',
  'redeem_v2',
  'change_person_v1',
  'change_person_v2',
  'change_reviews_v1',
  'change_reviews_v2',
  'finish_run_v1',
  'lease_now_v1',
  // With their triggers.
  'note_rotation_v1',
  'note_kinds_v1',
  'refuse_lost_v1',
];

/** What each step does, and how. */
export const CONVERSION: readonly (readonly [what: string, sql: string])[] = [
  [
    'removing the functions of the earlier version',
    OLD_FUNCTIONS.map((name) => `DROP FUNCTION writecheck.${name} CASCADE;`).join('\n'),
  ],
  [
    'changing tables',
    `ALTER TABLE writecheck.idempotency ALTER COLUMN claimed_ms SET DEFAULT 0;
ALTER TABLE writecheck.api_key DROP CONSTRAINT api_key_kind_check,
  ADD CONSTRAINT api_key_kind_check CHECK (kind IN ('development', 'live', 'owner', 'service')),
  ADD COLUMN lineage text, ADD COLUMN roles text;
ALTER TABLE writecheck.policy ADD COLUMN has_limits boolean NOT NULL DEFAULT false;
ALTER TABLE writecheck.webhook ADD COLUMN sealed text, ADD COLUMN sealed_before text;
ALTER TABLE writecheck.decision ADD COLUMN valid_until_ms bigint;
ALTER TABLE writecheck.log ADD COLUMN knows_freezes bigint NOT NULL DEFAULT 0,
  ADD COLUMN is_received boolean NOT NULL DEFAULT false;
ALTER TABLE writecheck.workspace ADD COLUMN moves bigint NOT NULL DEFAULT 0, ADD COLUMN moved_to text;`,
  ],
  [
    // Their keys are not those of this version, which belong to an API key. INVARIANT: a process of that version that
    // still runs records nothing, and must not repeat an allow either: it knows no freezes.
    'removing kept responses',
    'TRUNCATE writecheck.idempotency;',
  ],
  [
    'creating tables',
    `${tablesForPostgres(TABLES_OF_LIMITS + TABLES_OF_FREEZES + TABLES_OF_OUTCOMES + TABLES_OF_ERASURE)}
INSERT INTO writecheck.erased_decision SELECT workspace, decision_id, false FROM writecheck.forgotten_decision
  WHERE workspace <> '';
DROP TABLE writecheck.forgotten_decision;`,
  ],
  ['creating functions', FUNCTIONS + REFUSE_UNAWARE],
];
