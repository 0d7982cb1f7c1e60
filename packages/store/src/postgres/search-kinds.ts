/** When decisions of a kind may have been made, read from the search index. */
import { type Run, runsOf } from '../index/decision-kinds.ts';
import type { Query } from './connection.ts';

/** Most lists need the newest days only. */
const FIRST_DAYS = 32;
const MORE_DAYS = 1_024;

interface KindQuery {
  readonly workspace: string;
  /** Conditions on the columns, with `values` from $4 on. */
  readonly wanted: readonly string[];
  readonly values: readonly unknown[];
  readonly order: 'newest' | 'oldest';
}

/** In the order of the list, some days at a time. */
export async function* timesOf(
  query: Query,
  { workspace, wanted, values, order }: KindQuery,
  days: { readonly first: number; readonly last: number },
): AsyncGenerator<readonly Run[]> {
  let limit = FIRST_DAYS;
  for (let { first, last } = days; first <= last; limit = MORE_DAYS) {
    const some = await query<{ readonly day: number; readonly hours: number }>(
      `SELECT day, bit_or(hours) AS hours FROM writecheck.decision_kind
       WHERE workspace = $1 AND day BETWEEN $2 AND $3 AND (decision IS NULL OR (${wanted.join(' AND ')}))
       GROUP BY day ORDER BY day ${order === 'oldest' ? 'ASC' : 'DESC'} LIMIT ${limit}`,
      [workspace, first, last, ...values],
    );
    yield runsOf(some, order);
    if (some.length < limit) return;
    if (order === 'oldest') first = some.at(-1)!.day + 1;
    else last = some.at(-1)!.day - 1;
  }
}
