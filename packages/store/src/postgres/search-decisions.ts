/** The SQL of the search index that differs on PostgreSQL. */
import { type IndexWords, indexSql } from '../index/search-decisions.ts';
import type { OpenAllows } from '../port.ts';
import { part, type Read, sql } from '../tables/operation.ts';

export function indexWords(workspace: string): IndexWords {
  return {
    workspace,
    // The hash uses the index, the text confirms the match.
    isObject: (ref) => part`md5(object_ref) = md5(${ref}::text) AND object_ref = ${ref}`,
    rowsWithin: (found, sorted, runs) => indexSql<object>`SELECT d.*
      FROM unnest(${runs.map(({ fromMs }) => fromMs)}::bigint[], ${runs.map(({ toMs }) => toMs)}::bigint[])
        AS run (from_ms, to_ms)
      CROSS JOIN LATERAL (${found} AND at_ms >= from_ms AND at_ms < to_ms ${sorted}) d ${sorted}`,
  };
}

export function openAllows(workspace: string, fromMs: number, atMs: number): Read<readonly OpenAllows[]> {
  return sql<OpenAllows>`SELECT d.key_id AS "keyId", d.system, d.object_type AS "objectType", d.field, d.operation,
      d.workflow_id AS "workflowId", count(*)::bigint AS count, count(r.decision_id)::bigint AS redeemed
    FROM writecheck.decision d LEFT JOIN writecheck.redemption r
      ON r.workspace = ${workspace} AND r.decision_id = d.decision_id COLLATE "C"
    WHERE d.workspace = ${workspace} AND d.at_ms BETWEEN ${fromMs} AND ${atMs} AND d.decision = 'allow'
      AND d.valid_until_ms > ${atMs}
    GROUP BY 1, 2, 3, 4, 5, 6`;
}
