/** The SQL of the search index that differs on SQLite, where the index is a separate file. */
import { type IndexWords, indexSql } from '../index/search-decisions.ts';
import { firstIdAt } from '../log/decision-time.ts';
import type { OpenAllows } from '../port.ts';
import { part } from '../tables/operation.ts';
import type { Db } from './open-database.ts';

const NOT_THERE = -1;

export function workspaceNumber(search: Db, workspace: string): number {
  const number = search.prepare('SELECT number FROM workspace WHERE id = ?').pluck().get(workspace);
  return (number as number | undefined) ?? NOT_THERE;
}

export function indexWords(search: Db, workspace: string): IndexWords {
  return {
    workspace: workspaceNumber(search, workspace),
    isObject: ({ escaped }) => part`object_ref = ${escaped}`,
    *rowsWithin(found, sorted, runs, limit) {
      const rows: object[] = [];
      for (const { fromMs, toMs } of runs) {
        rows.push(
          ...(yield* indexSql<object>`${found} AND at_ms >= ${fromMs} AND at_ms < ${toMs} ${sorted}`),
        );
        if (rows.length > limit) break;
      }
      return rows;
    },
  };
}

/** `main` is the database itself, which has the redemptions. */
export function openAllows(
  main: Db,
  search: Db,
  workspace: string,
  fromMs: number,
  atMs: number,
): readonly OpenAllows[] {
  // Ids begin with their time.
  const redeemed = main
    .prepare(
      'SELECT decision_id FROM redemption WHERE workspace = ? AND decision_id >= ? AND decision_id < ?',
    )
    .pluck()
    .all(workspace, firstIdAt(fromMs), firstIdAt(atMs + 1));
  return search
    .prepare(
      `SELECT key_id AS keyId, system, object_type AS objectType, field, operation, workflow_id AS workflowId,
         count(*) AS count, sum(decision_id IN (SELECT value FROM json_each(@redeemed))) AS redeemed
       FROM decision WHERE workspace = @number AND at_ms BETWEEN @fromMs AND @atMs AND decision = 'allow'
         AND valid_until_ms > @atMs GROUP BY 1, 2, 3, 4, 5, 6`,
    )
    .all({
      number: workspaceNumber(search, workspace),
      fromMs,
      atMs,
      redeemed: JSON.stringify(redeemed),
    }) as OpenAllows[];
}
