/** The positions of a log's entries among those of all logs of a store. */

export const LEAVES_BITS = 36;
/** PostgreSQL: a leaf's position is its log's number times this, plus its index. */
export const LEAVES_PER_LOG = 2 ** LEAVES_BITS;

/** A log's row in either database: SQLite stores where the log begins, PostgreSQL numbers it. */
export interface LogPosition {
  readonly base?: number;
  readonly number?: number;
}

/** The position of its first entry. */
export function beginOf({ base, number }: LogPosition): number {
  return base ?? number! * LEAVES_PER_LOG;
}
