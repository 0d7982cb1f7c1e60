/** Real stores of version 0.1.0, kept as SQL text. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databasePath } from '@writecheck/store/sqlite/open-database';
import Database from 'better-sqlite3';
import { onServer } from '../../../store/test/test-postgres.ts';

function textOf(file: string): string {
  return readFileSync(join(import.meta.dirname, 'store-before-release', file), 'utf8');
}

export function makeOldFolder(folder: string): void {
  const db = new Database(databasePath(folder));
  db.exec(textOf('sqlite.sql'));
  db.pragma('journal_mode = WAL');
  db.close();
}

export async function fillOldDatabase(url: string): Promise<void> {
  await onServer(url, (client) => client.query(textOf('postgres.sql')));
}
