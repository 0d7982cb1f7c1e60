/**
 * Converts a database of the last schema before the first release. It can be deleted one release later,
 * together with its test. Replicas of that version must be stopped first: the functions that they call are
 * removed.
 */
import { CHANGED_TABLES, NEW_TABLES } from '../convert-tables.ts';
import { tablesForPostgres } from '../tables/schema.ts';
import { FUNCTIONS } from './schema-functions.ts';

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
  // Dropping the next functions also drops their triggers.
  'note_rotation_v1',
  'note_kinds_v1',
  'refuse_lost_v1',
];

/** The steps: what each does, and its SQL. */
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
ALTER TABLE writecheck.decision ADD COLUMN valid_until_ms bigint;
ALTER TABLE writecheck.decision_kind ALTER COLUMN kind TYPE text;
${tablesForPostgres(CHANGED_TABLES)}`,
  ],
  [
    // Their keys have another form than in this version, where they belong to an API key. INVARIANT: a process
    // of that version that still runs records nothing, and must not replay an allow either, because it has no
    // freezes.
    'removing kept responses',
    'TRUNCATE writecheck.idempotency;',
  ],
  ['creating tables', tablesForPostgres(NEW_TABLES)],
  ['creating functions', FUNCTIONS],
];
