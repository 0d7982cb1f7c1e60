/** A source that is a database: the rows of one query, as facts. */
import type { JsonObject } from '@writecheck/contract';
import type { DatabaseHost } from '@writecheck/store/postgres/database-url';
import { postgresReader } from './postgres-source.ts';
import { type SeenIntent, seenValue } from './seen-intent.ts';
import type { Read, Source } from './source.ts';
import type { SqlStatement } from './sql-statement.ts';
import type { SqliteProcesses } from './sqlite-source.ts';
import { factsOfTable, rowsToFetch, type TableRules } from './table.ts';

export interface SqlSettings extends TableRules {
  readonly database:
    | { readonly kind: 'sqlite'; readonly file: string }
    | { readonly kind: 'postgres'; readonly host: DatabaseHost };
  readonly statement: SqlStatement;
}

export function sqlSource(settings: SqlSettings, sqlite: SqliteProcesses): Source {
  const { database, statement } = settings;
  const reader = database.kind === 'sqlite' ? sqlite.readerOf(database.file) : postgresReader(database.host);
  return {
    prepare(seen: SeenIntent): Read {
      const values = statement.names.map((name) => seenValue(seen, name));
      return async (): Promise<JsonObject> =>
        factsOfTable(await reader.read(statement, values, rowsToFetch(settings)), settings, seen.objectRef);
    },
    close: () => reader.close(),
  };
}
