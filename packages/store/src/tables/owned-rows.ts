/** The rows of one workspace in any table: counted, and deleted a batch at a time. */
import { part, type Read, sql, text, type Write } from './operation.ts';

/** INVARIANT: all of it is written in this program. */
export interface OwnedTable {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: readonly string[];
  /** The webhook, for rows that name no workspace. */
  readonly through?: 'webhook';
}

/** Keeps batches small, because commits wait for a batch on SQLite. */
const ROWS_AT_ONCE = 500;

function ownedBy({ through }: OwnedTable, workspace: string) {
  return through === undefined
    ? part`workspace = ${workspace}`
    : part`webhook IN (SELECT id FROM writecheck.webhook WHERE workspace = ${workspace})`;
}

export function* countOwned(owned: OwnedTable, workspace: string): Read<number> {
  const [row] = yield* sql<{ readonly count: number }>`SELECT count(*) AS count
    FROM writecheck.${text(owned.table)} WHERE ${ownedBy(owned, workspace)}`;
  return row!.count;
}

/** INVARIANT: only of a workspace that is deleted. Returns how many; 0 once none is left. */
export function* deleteOwned(owned: OwnedTable, workspace: string): Write<number> {
  const key = text(owned.key.join(', '));
  const gone = yield* sql`DELETE FROM writecheck.${text(owned.table)} WHERE (${key}) IN (
      SELECT ${key} FROM writecheck.${text(owned.table)} WHERE ${ownedBy(owned, workspace)} LIMIT ${ROWS_AT_ONCE})
    AND EXISTS (SELECT 1 FROM writecheck.workspace WHERE id = ${workspace} AND state = 'deleted') RETURNING 1`;
  return gone.length;
}
