/** Reads every row of a workspace that has been closed for its move. */
import { bytesOf, endOf } from '../tables/limits.ts';
import { MOVED_TABLES, type MovedRow, rowInFile } from './moved-tables.ts';
import type { Session } from './session.ts';

export interface FileRow {
  readonly table: string;
  readonly row: MovedRow;
}

/** `counters`: the places of its limits, as `counterPlace` names them. */
export async function* workspaceRows(
  session: Session,
  workspace: string,
  counters: readonly string[],
): AsyncGenerator<FileRow> {
  for (const moved of MOVED_TABLES) {
    const { table, where, order } = moved;
    const sorted = order === undefined ? '' : ` ORDER BY ${order}`;
    const rows = session.each<MovedRow>(`SELECT * FROM writecheck.${table} WHERE ${where}${sorted}`, [
      workspace,
    ]);
    for await (const row of rows) yield { table, row: rowInFile(session.kind, moved, row) };
  }
  const used = await session.query<MovedRow>(
    `SELECT workspace, period, kind, sum(used)::bigint AS used FROM writecheck.usage
     WHERE workspace = $1 GROUP BY workspace, period, kind`,
    [workspace],
  );
  for (const row of used) yield { table: 'usage', row };
  for (const counter of counters) {
    const draws = await session.query<MovedRow>(
      'SELECT * FROM writecheck.limit_draws WHERE place >= $1 AND place < $2',
      [bytesOf(counter), endOf(counter)],
    );
    for (const row of draws)
      yield { table: 'limit_draws', row: rowInFile(session.kind, { table: 'limit_draws', where: '' }, row) };
  }
}
