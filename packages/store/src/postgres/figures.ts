/** The size of the database and of the part that the search index still lacks, as the server knows them. */
import type { StoreFigures } from '../port/figures.ts';
import type { Query } from './connection.ts';

export async function databaseFigures(query: Query): Promise<StoreFigures> {
  const [row] = await query<{ readonly bytes: number; readonly behind: number; readonly kept: number }>(
    `SELECT pg_database_size(current_database()) AS bytes,
       (SELECT coalesce(sum(l.size - i.size), 0)::bigint FROM writecheck.indexed i
        JOIN writecheck.log l ON l.number = i.log WHERE i.size < l.size) AS behind,
       (SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = 'writecheck.idempotency'::regclass) AS kept`,
  );
  return {
    databaseBytes: row!.bytes,
    diskFreeBytes: null,
    indexBehind: row!.behind,
    idempotencyRows: row!.kept,
  };
}
