/** Reads which version of the schema a database holds, and whether all of its parts exist. */
import { wrongVersion } from '../port/wrong-version.ts';
import type { Query } from './connection.ts';
import { unavailable } from './postgres-failure.ts';
import { PARTS, SCHEMA_VERSION } from './schema.ts';

/** 0 if the database holds nothing of ours. Throws for any version but this program's. */
export async function versionOf(query: Query): Promise<number> {
  // Read from the catalogue itself: `to_regclass` may use what the session cached before it waited for another
  // process, including that the tables do not exist.
  const partsNow = async () => {
    const found = await query<{ part: string }>(
      `WITH ours AS (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'writecheck')
     SELECT 'table writecheck.' || relname AS part FROM pg_catalog.pg_class
       WHERE relnamespace = (SELECT oid FROM ours) AND relkind = 'r'
     UNION ALL SELECT 'key writecheck.' || relname FROM pg_catalog.pg_constraint k
       JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
       WHERE connamespace = (SELECT oid FROM ours) AND contype = 'p'
     UNION ALL SELECT 'function writecheck.' || proname FROM pg_catalog.pg_proc
       WHERE pronamespace = (SELECT oid FROM ours)
     UNION ALL SELECT 'trigger ' || tgname FROM pg_catalog.pg_trigger t
       JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
       WHERE relnamespace = (SELECT oid FROM ours) AND tgenabled IN ('O', 'A')`,
    );
    return new Set(found.map(({ part }) => part));
  };
  const parts = await partsNow();
  const halfDone = () =>
    unavailable(
      'corrupt',
      undefined,
      'the schema `writecheck` is incomplete: a restore of it did not finish; restore it as a whole, or drop the schema if it is empty',
    );
  if (!parts.has('table writecheck.migration')) {
    if (PARTS.some((part) => parts.has(part))) throw halfDone();
    return 0;
  }
  const [newest] = await query<{ version: number | null }>(
    'SELECT max(number) AS version FROM writecheck.migration',
  );
  const version = newest?.version ?? 0;
  // The version is written together with its table.
  if (version === 0) throw halfDone();
  if (version !== SCHEMA_VERSION)
    throw unavailable('version', undefined, wrongVersion(version, SCHEMA_VERSION));
  // Another process may have created the schema between the two reads.
  const lacksOne = (held: ReadonlySet<string>) => !PARTS.every((part) => held.has(part));
  if (lacksOne(parts) && lacksOne(await partsNow())) throw halfDone();
  return version;
}
