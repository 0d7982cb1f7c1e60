/** A source that is a database: the rows of one query, as facts. */
import type { JsonObject } from '@writecheck/contract';
import type { Database, Databases } from './databases.ts';
import { type SeenIntent, seenValue } from './seen-intent.ts';
import type { Read, Source } from './source.ts';
import type { SqlStatement } from './sql-statement.ts';
import { factsOfTable, rowsToFetch, type TableRules } from './table.ts';

export interface SqlSettings extends TableRules {
  readonly database: Database;
  readonly statement: SqlStatement;
}

export function sqlSource(settings: SqlSettings, databases: Databases): Source {
  const { database, statement } = settings;
  const reader = databases.readerOf(database);
  return {
    prepare(seen: SeenIntent): Read {
      const values = statement.names.map((name) => seenValue(seen, name));
      return async (): Promise<JsonObject> =>
        factsOfTable(await reader.read(statement, values, rowsToFetch(settings)), settings, seen.objectRef);
    },
    close: async () => undefined,
  };
}
