/**
 * Turns the `TABLES` of a file into the SQL of each database. A table that is the same in both is written once, beside
 * its operations.
 *
 * The text is PostgreSQL's, one column a line. For SQLite `WITHOUT ROWID` may follow the last bracket. Besides
 * PostgreSQL's types a column may be `escaped` or `compared`, which are texts as `operation.ts` explains them.
 */
const SQLITE_TYPES: { readonly [type: string]: string } = {
  bigint: 'INTEGER',
  integer: 'INTEGER',
  boolean: 'INTEGER',
  text: 'TEXT',
  escaped: 'TEXT',
  compared: 'TEXT',
  bytea: 'BLOB',
};

export function tablesForPostgres(tables: string): string {
  return tables
    .replaceAll(/^( {2}\w+ )(?:escaped|compared)\b/gm, '$1text')
    .replaceAll(') WITHOUT ROWID', ')');
}

export function tablesForSqlite(tables: string): string {
  return tables
    .replaceAll(/^( {2}\w+ )([a-z]+)/gm, (_, column, type) => `${column}${SQLITE_TYPES[type]}`)
    .replaceAll('writecheck.', '')
    .replaceAll(' COLLATE "C"', '')
    .replaceAll(' GENERATED ALWAYS AS IDENTITY', '')
    .replaceAll(/ WITH \(fillfactor = \d+\)/g, '')
    .replaceAll(
      /^\)( WITHOUT ROWID)?;/gm,
      (_, without) => `) STRICT${without === undefined ? '' : `,${without}`};`,
    );
}

/** The columns of the primary key of each table. */
export function keysOf(tables: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  let table = '';
  for (const line of tables.split('\n')) {
    table = /^CREATE TABLE writecheck\.(\w+) \($/.exec(line)?.[1] ?? table;
    const [, whole] = /^ {2}PRIMARY KEY \((.+)\)/.exec(line) ?? [];
    const [, column] = /^ {2}(\w+) .*\bPRIMARY KEY/.exec(line) ?? [];
    if (whole !== undefined) found.set(table, whole.split(', '));
    else if (column !== undefined) found.set(table, [column]);
  }
  return found;
}

export interface Column {
  readonly name: string;
  readonly type: string;
  /** The database counts it up. */
  readonly isGenerated: boolean;
}

export function columnsOf(tables: string): ReadonlyMap<string, readonly Column[]> {
  const found = new Map<string, Column[]>();
  let table: Column[] = [];
  for (const line of tables.split('\n')) {
    const [, created] = /^CREATE TABLE writecheck\.(\w+) \($/.exec(line) ?? [];
    if (created !== undefined) {
      table = [];
      found.set(created, table);
    }
    const [, name, type] = /^ {2}(\w+) ([a-z]+)/.exec(line) ?? [];
    if (name !== undefined) table.push({ name, type: type!, isGenerated: line.includes('GENERATED ALWAYS') });
  }
  return found;
}
