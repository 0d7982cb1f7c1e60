/** The rows of a query as facts. */
import type { JsonObject, JsonValue } from '@writecheck/contract';
import { FactsUnavailable } from './failures.ts';
import { isKeyOf } from './key-of-record.ts';
import { ROWS_MAX } from './limits.ts';
import type { SqlStatement } from './sql-statement.ts';

/** Null is a NULL, which facts omit. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (JsonValue | null)[])[];
}

export interface SqlReader {
  /** Rejects with `FactsUnavailable`. */
  read(statement: SqlStatement, values: readonly string[], rowsToFetch: number): Promise<Table>;
}

export interface TableRules {
  /** The column that names the record. */
  readonly key: string;
  readonly many: boolean;
  readonly empty: boolean;
}

/** How many rows to fetch: one more than there may be, so that too many are detected and never cut. */
export function rowsToFetch({ many }: Pick<TableRules, 'many'>): number {
  return many ? ROWS_MAX + 1 : 2;
}

export function factsOfTable({ columns, rows }: Table, rules: TableRules, objectRef: string): JsonObject {
  const { key, many, empty } = rules;
  // If two columns have one name, the checked one may differ from the signed one.
  if (new Set(columns).size !== columns.length)
    throw new FactsUnavailable('two columns have the same name; rename one with `as`');
  const keyAt = columns.indexOf(key);
  if (keyAt === -1) throw new FactsUnavailable('the query returns no column with the name of `key`');
  if (rows.length === 0 && !(many && empty)) throw new FactsUnavailable('there is no row');
  if (rows.length > (many ? ROWS_MAX : 1))
    throw new FactsUnavailable(many ? `there are more than ${ROWS_MAX} rows` : 'there is more than one row');
  const objects = rows.map((row): JsonObject => {
    if (!isKeyOf(row[keyAt], objectRef)) throw new FactsUnavailable('a row is about another object');
    return Object.fromEntries(columns.flatMap((name, at) => (row[at] === null ? [] : [[name, row[at]!]])));
  });
  return many ? { rows: objects } : objects[0]!;
}
