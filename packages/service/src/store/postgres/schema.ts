/** The tables in PostgreSQL, as a list of migrations that is only ever extended and only ever adds. */
import { FIRST } from './schema-first.ts';
import { FUNCTIONS, REDEEM_V2 } from './schema-functions.ts';
import { IMPACT } from './schema-impact.ts';
import { KINDS } from './schema-kinds.ts';
import { MESSAGES } from './schema-messages.ts';
import { PEOPLE } from './schema-people.ts';
import { RECOVERY } from './schema-recovery.ts';
import { REVIEW_PEOPLE } from './schema-review-people.ts';
import { REVIEWS } from './schema-reviews.ts';
import { WEBHOOK_CALLS } from './schema-webhook-calls.ts';
import { WEBHOOKS } from './schema-webhooks.ts';
import { WHO } from './schema-who.ts';

/** A leaf's position among all logs: its log's number times this, plus its index. */
export const LEAVES_PER_LOG = 2 ** 36;

/** From here on segments may be compressed, which a program of the first version cannot read. */
const COMPRESSED = 'SELECT 1';

/**
 * When a key was replaced; a key whose expiry is only its grace period must not be rotated again. Only a rotation
 * ever sets `expires_ms`, so the trigger also covers replicas that do not know the column yet.
 */
const ROTATED = `
ALTER TABLE writecheck.api_key ADD COLUMN rotated_ms bigint;
CREATE FUNCTION writecheck.note_rotation_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.rotated_ms := coalesce(NEW.rotated_ms, floor(extract(epoch FROM clock_timestamp()) * 1000));
  RETURN NEW;
END $$;
CREATE TRIGGER note_rotation BEFORE UPDATE OF expires_ms ON writecheck.api_key
  FOR EACH ROW EXECUTE FUNCTION writecheck.note_rotation_v1();
`;

/** Which key a key replaced: the new one sees what the old one asked for. */
const ROTATED_FROM = 'ALTER TABLE writecheck.api_key ADD COLUMN rotated_from text;';

/** What a service key may do, and the first of the keys that a key replaced. */
const KEY_SCOPE = `
ALTER TABLE writecheck.api_key ADD COLUMN IF NOT EXISTS roles text, ADD COLUMN IF NOT EXISTS lineage text;
`;

export const MIGRATIONS: readonly string[] = [
  FIRST + FUNCTIONS,
  COMPRESSED,
  ROTATED + REDEEM_V2,
  REVIEWS,
  ROTATED_FROM,
  PEOPLE,
  WEBHOOKS,
  REVIEW_PEOPLE,
  IMPACT,
  RECOVERY,
  KINDS,
  WEBHOOK_CALLS,
  MESSAGES,
  WHO,
  KEY_SCOPE,
];

function namesIn(sql: string, made: RegExp): readonly string[] {
  return [...sql.matchAll(made)].map(([, name]) => name!);
}
function tablesIn(sql: string) {
  return namesIn(sql, /CREATE TABLE (writecheck\.\w+)/g);
}
function keyedIn(sql: string) {
  const keyed = sql.split(';').filter((statement) => statement.includes('PRIMARY KEY'));
  return keyed.flatMap((statement) => namesIn(statement, /CREATE TABLE (writecheck\.\w+)/g));
}
function functionsIn(sql: string) {
  return namesIn(sql, /CREATE FUNCTION (writecheck\.\w+)/g);
}
export const TABLES: readonly string[] = tablesIn(MIGRATIONS.join(''));
export const FUNCTION_NAMES: readonly string[] = functionsIn(MIGRATIONS.join(''));
/** What a database of this version must contain; a missing part means that somebody else changed it. */
export function partsAt(version: number): readonly string[] {
  const sql = MIGRATIONS.slice(0, version).join('');
  return [
    ...tablesIn(sql).map((name) => `table ${name}`),
    ...keyedIn(sql).map((name) => `key ${name}`),
    ...functionsIn(sql).map((name) => `function ${name}`),
  ];
}
