/** What both databases share: a query with `:name` parameters, and its rows as facts. */
import type { JsonObject, JsonValue } from '@writecheck/contract';
import type { DatabaseHost } from '@writecheck/store/database-url';
import { FactsUnavailable } from './failures.ts';
import { isKeyOf, type SeenIntent, seenValue } from './sign.ts';

/** A query, split where a driver needs its own placeholders. */
export interface SqlStatement {
  /** The text around the parameters: one more than there are names. */
  readonly texts: readonly string[];
  readonly names: readonly string[];
}

export type Database =
  | { readonly kind: 'sqlite'; readonly file: string }
  /** `url` is unchanged from the configuration, including its encryption parameters. */
  | { readonly kind: 'postgres'; readonly url: string; readonly host: DatabaseHost };

export interface SqlSource {
  readonly database: Database;
  readonly statement: SqlStatement;
  /** The column that names the record. */
  readonly key: string;
  readonly many: boolean;
  readonly empty: boolean;
}

/** Null is a NULL, which facts omit. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (JsonValue | null)[])[];
}

export interface SqlReader {
  /** Rejects with `FactsUnavailable`. */
  read(statement: SqlStatement, values: readonly string[], rowsToFetch: number): Promise<Table>;
}

const ROWS_MAX = 1_000;

/** Throws an `UnusableMember` before anything is read. */
export function prepareSql(
  source: SqlSource,
  seen: SeenIntent,
  reader: SqlReader,
): () => Promise<JsonObject> {
  const { statement, many } = source;
  const values = statement.names.map((name) => seenValue(seen, name));
  // One row more than there may be, so that too many are detected and never cut.
  const rowsToFetch = many ? ROWS_MAX + 1 : 2;
  return async () => factsOf(await reader.read(statement, values, rowsToFetch), source, seen.objectRef);
}

function factsOf({ columns, rows }: Table, { key, many, empty }: SqlSource, objectRef: string): JsonObject {
  // If two columns have one name, the checked one may differ from the signed one.
  if (new Set(columns).size !== columns.length)
    throw new FactsUnavailable('two columns have the same name; rename one with `as`');
  const keyAt = columns.indexOf(key);
  if (keyAt === -1) throw new FactsUnavailable('the query returns no column with the name of `key`');
  if (rows.length === 0 && !(many && empty)) throw new FactsUnavailable('there is no row');
  if (rows.length > (many ? ROWS_MAX : 1))
    throw new FactsUnavailable(`there is more than ${many ? `${ROWS_MAX} rows` : 'one row'}`);
  const objects = rows.map((row): JsonObject => {
    if (!isKeyOf(row[keyAt], objectRef)) throw new FactsUnavailable('a row is about another object');
    return Object.fromEntries(columns.flatMap((name, at) => (row[at] === null ? [] : [[name, row[at]!]])));
  });
  return many ? { rows: objects } : objects[0]!;
}

/** What may hold a `;` or a `:name` that means nothing: comments, texts, names, words and casts. */
const PASSED_OVER = [
  /\s+/y,
  /--[^\n]*/y,
  /\/\*[\s\S]*?\*\//y,
  // PostgreSQL only: a backslash escapes.
  /[eE]'(?:[^'\\]|''|\\[\s\S])*'/y,
  /'(?:[^']|'')*'/y,
  /"(?:[^"]|"")*"|`[^`]*`/y,
  /[A-Za-z_][A-Za-z0-9_$]*/y,
  /::/y,
];
/** How many of these say nothing at all: they may follow the `;`. */
const BLANK = 3;
const DOLLAR_QUOTE = /\$(?:[A-Za-z_][A-Za-z0-9_]*)?\$/y;
const PARAMETER = /:(metadata(?:\.[A-Za-z_][A-Za-z0-9_]*)+|[A-Za-z_][A-Za-z0-9_]*)/y;

/** The drivers also refuse two statements; this reports it at the start, with the place. */
export function readStatement(query: string): SqlStatement | { readonly fault: string } {
  const texts: string[] = [];
  const names: string[] = [];
  let start = 0;
  let at = 0;
  let hasEnded = false;
  const taken = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(query);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  while (at < query.length) {
    if (PASSED_OVER.slice(0, hasEnded ? BLANK : undefined).some((pattern) => taken(pattern) !== null))
      continue;
    if (query.startsWith('/*', at)) return { fault: 'has a comment that does not end' };
    if (hasEnded) return { fault: 'has two statements; a control is read by one' };
    const character = query[at]!;
    if (`'"\``.includes(character)) return { fault: 'has a quote that does not end' };
    const dollar = taken(DOLLAR_QUOTE);
    if (dollar !== null) {
      const end = query.indexOf(dollar[0], at);
      if (end === -1) return { fault: 'has a quote that does not end' };
      at = end + dollar[0].length;
      continue;
    }
    const before = at;
    const parameter = taken(PARAMETER);
    if (parameter !== null) {
      texts.push(query.slice(start, before));
      names.push(parameter[1]!);
      start = at;
      continue;
    }
    hasEnded = character === ';';
    at += 1;
  }
  return { texts: [...texts, query.slice(start)], names };
}

export function statementText({ texts }: SqlStatement, placeholder: (place: number) => string): string {
  return texts.reduce((text, next, place) => `${text}${placeholder(place)}${next}`);
}
