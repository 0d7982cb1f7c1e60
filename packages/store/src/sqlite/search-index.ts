/** The search index: a separate file derived from the log, discarded and rebuilt whenever in doubt. */
import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { countIndexed } from '../index/count-indexed.ts';
import { DECISION, IndexRows } from '../index/index-rows.ts';
import { searchTables } from '../index/search-tables.ts';
import { unindexCounts, unindexDecisions, unindexKinds } from '../index/unindex.ts';
import { type StoredSegment, useSegment } from '../log/segment.ts';
import type { Prunable } from '../port.ts';
import { tablesForSqlite } from '../tables/schema.ts';
import { type Db, keepPrivate, searchPath } from './open-database.ts';
import { prepareReads } from './run-operation.ts';
import { workspaceNumber } from './search-decisions.ts';

/** Changes with the tables: an index of another layout is discarded. */
const LAYOUT = 6;

const TABLES = `
CREATE TABLE progress (identity TEXT NOT NULL, position INTEGER NOT NULL) STRICT;
CREATE TABLE workspace (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;
${tablesForSqlite(searchTables('bigint'))}CREATE INDEX decision_by_time ON decision (workspace, at_ms);
CREATE INDEX decision_by_object ON decision (workspace, object_ref, at_ms) WHERE object_ref IS NOT NULL;
`;

function connect(path: string, identity: string): Db {
  keepPrivate(path);
  const db = new Database(path, { timeout: 5_000 });
  // The aggregate exists in PostgreSQL, so the same statements run on both.
  db.aggregate('bit_or', { start: 0, step: (all: number, some: number) => all | some });
  try {
    db.pragma('journal_mode = WAL');
    // A crash of the machine may lose the newest rows, never the structure; they are filled in again from the log.
    db.pragma('synchronous = NORMAL');
    db.transaction(() => {
      const layout = db.pragma('user_version', { simple: true });
      if (layout === LAYOUT) return;
      if (layout !== 0) throw new Error('the index is of another layout');
      db.exec(TABLES);
      db.prepare('INSERT INTO progress VALUES (?, 0)').run(identity);
      db.pragma(`user_version = ${LAYOUT}`);
    }).immediate();
    const belongs = db.prepare('SELECT identity FROM progress').pluck().get() === identity;
    if (!belongs) throw new Error('the index belongs to another database');
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}

/** Opens the index that belongs to the database with this identity; a foreign or damaged one is replaced. */
export function openSearch(folder: string, identity: string): Db {
  const path = searchPath(folder);
  try {
    return connect(path, identity);
  } catch {
    for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true });
    return connect(path, identity);
  }
}

export function unindex(search: Db, found: Prunable, kept: readonly string[]): void {
  const only = found.workspace === undefined ? null : workspaceNumber(search, found.workspace);
  const all = search.prepare('SELECT number FROM workspace').pluck().all() as number[];
  const run = prepareReads(search);
  run(unindexDecisions(only === null ? all : [only], found, kept));
  run(unindexKinds(found, only));
  run(unindexCounts(found, only));
  search.exec('VACUUM');
}

/** A step ends with the segment that reaches this, which keeps its memory small. */
const RECORDS_A_STEP = 1_024;

/** Indexes up to a few pending segments; false if there were none. */
export function prepareIndexing(main: Db, search: Db): () => boolean {
  const readProgress = search.prepare('SELECT position FROM progress').pluck();
  const writeProgress = search.prepare('UPDATE progress SET position = ?');
  const pending = main.prepare(
    'SELECT position, count, body FROM segment WHERE position >= ? ORDER BY position',
  );
  const findWorkspace = search.prepare('SELECT number FROM workspace WHERE id = ?').pluck();
  const addWorkspace = search.prepare('INSERT INTO workspace (id) VALUES (?)');
  const insert = search.prepare(
    `INSERT INTO decision (${DECISION.columns.join(', ')}) VALUES (${DECISION.columns.map(() => '?').join(', ')})`,
  );
  const run = prepareReads(search);
  const addedNumber = (workspace: string): number =>
    (findWorkspace.get(workspace) as number | undefined) ??
    Number(addWorkspace.run(workspace).lastInsertRowid);

  const step = search.transaction((): boolean => {
    const from = readProgress.get() as number;
    const index = new IndexRows();
    let next = from;
    for (const row of pending.iterate(from)) {
      const segment = row as StoredSegment;
      useSegment(segment, (entries) => index.add(segment.position, entries));
      next = segment.position + segment.count;
      if (next - from >= RECORDS_A_STEP) break;
    }
    if (next === from) return false;
    // INVARIANT: for this step only, since a step that fails undoes what it added.
    const numbers = new Map<string, number>();
    const numberOf = (workspace: string): number => {
      const number = numbers.get(workspace) ?? addedNumber(workspace);
      numbers.set(workspace, number);
      return number;
    };
    for (const decision of index.decisions) {
      const row = { ...DECISION.rowOf(decision), workspace: numberOf(decision.workspace) };
      insert.run(Object.values(row));
    }
    run(countIndexed(index, { keyOf: numberOf, rowsAtOnce: 1 }));
    writeProgress.run(next);
    return true;
  });
  return () => step.immediate();
}
