/** The schema in PostgreSQL: its version, its text, and its parts. */
import { TABLES as ALIKE } from '../tables/operations.ts';
import { tablesForPostgres } from '../tables/schema.ts';
import { FUNCTIONS } from './schema-functions.ts';
import { TABLES_OF_LOG } from './schema-tables.ts';

export const SCHEMA_VERSION = 1;

export const SCHEMA = TABLES_OF_LOG + tablesForPostgres(ALIKE) + FUNCTIONS;

function namesIn(sql: string, made: RegExp): readonly string[] {
  return [...sql.matchAll(made)].map(([, name]) => name!);
}

export const TABLES: readonly string[] = namesIn(SCHEMA, /CREATE TABLE (writecheck\.\w+)/g);
export const FUNCTION_NAMES: readonly string[] = namesIn(SCHEMA, /CREATE FUNCTION (writecheck\.\w+)/g);
const KEYED = SCHEMA.split(';').filter((statement) => statement.includes('PRIMARY KEY'));

/** The parts that a database must contain; a missing part means that somebody else removed it. */
export const PARTS: readonly string[] = [
  ...TABLES.map((name) => `table ${name}`),
  ...KEYED.flatMap((sql) => namesIn(sql, /CREATE TABLE (writecheck\.\w+)/g)).map((name) => `key ${name}`),
  ...FUNCTION_NAMES.map((name) => `function ${name}`),
  ...namesIn(SCHEMA, /CREATE TRIGGER (\w+)/g).map((name) => `trigger ${name}`),
];
