/** The search index: a file of its own, derived from the log, thrown away and filled again whenever in doubt. */
import { rmSync } from 'node:fs';
import type { Leaf } from '@writecheck/ledger';
import Database from 'better-sqlite3';
import type { PruneQuery } from '../port.ts';
import { recordedIntent } from '../recorded-intent.ts';
import { type StoredSegment, useSegment } from '../segment.ts';
import { type Db, keepPrivate, searchPath } from './open-database.ts';

/** Changes with the tables: an index of another layout is thrown away. */
const LAYOUT = 3;

const TABLES = `
CREATE TABLE progress (identity TEXT NOT NULL, position INTEGER NOT NULL) STRICT;
CREATE TABLE workspace (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE decision (
  position INTEGER PRIMARY KEY,
  workspace INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  decision_id TEXT NOT NULL,
  audit_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  decision TEXT NOT NULL,
  evaluated_decision TEXT NOT NULL,
  reason_code TEXT NOT NULL,
  system TEXT NOT NULL,
  object_type TEXT,
  object_ref TEXT,
  field TEXT,
  operation TEXT,
  workflow_id TEXT,
  run_id TEXT
) STRICT;
-- Every index costs each record something, so there is one only where a value picks out few records of many. Most
-- decisions are allows: what is not one has indexes of its own, allows are found along the time.
CREATE INDEX by_time ON decision (workspace, at_ms);
CREATE INDEX by_decision ON decision (workspace, decision, at_ms) WHERE decision <> 'allow';
CREATE INDEX by_reason ON decision (workspace, reason_code, at_ms) WHERE decision <> 'allow';
CREATE INDEX by_object ON decision (workspace, object_ref, at_ms) WHERE object_ref IS NOT NULL;
CREATE INDEX by_workflow ON decision (workspace, workflow_id, at_ms) WHERE workflow_id IS NOT NULL;
CREATE INDEX by_run ON decision (workspace, run_id, at_ms) WHERE run_id IS NOT NULL;
CREATE INDEX by_warning ON decision (workspace, at_ms) WHERE evaluated_decision <> decision;
CREATE TABLE daily (
  workspace INTEGER NOT NULL,
  day TEXT NOT NULL,
  key_id TEXT NOT NULL,
  checks INTEGER NOT NULL,
  PRIMARY KEY (workspace, day, key_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE hourly (
  workspace INTEGER NOT NULL,
  hour_ms INTEGER NOT NULL,
  allow INTEGER NOT NULL,
  pause INTEGER NOT NULL,
  block INTEGER NOT NULL,
  warned INTEGER NOT NULL,
  PRIMARY KEY (workspace, hour_ms)
) STRICT, WITHOUT ROWID;
`;

const connect = (path: string, identity: string): Db => {
  keepPrivate(path);
  const db = new Database(path, { timeout: 5_000 });
  try {
    db.pragma('journal_mode = WAL');
    // It may lose its newest rows with the machine, never its shape: they are filled in again from the log.
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
};

/** Opens the index that belongs to the database with this identity; one that does not, or is damaged, is replaced. */
export const openSearch = (folder: string, identity: string): Db => {
  const path = searchPath(folder);
  try {
    return connect(path, identity);
  } catch {
    for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true });
    return connect(path, identity);
  }
};

/** What a prune names goes from the lists, but for the decisions it kept; the counts by day and by hour stay. */
export const unindex = (
  search: Db,
  { workspace, beforeMs, objectRef }: PruneQuery,
  kept: readonly string[],
): void => {
  search
    .prepare(
      `DELETE FROM decision WHERE (@workspace IS NULL OR workspace = (SELECT number FROM workspace WHERE id = @workspace))
         AND (@beforeMs IS NULL OR at_ms < @beforeMs) AND (@objectRef IS NULL OR object_ref = @objectRef)
         AND decision_id NOT IN (SELECT value FROM json_each(@kept))`,
    )
    .run({
      ...{ workspace: workspace ?? null, beforeMs: beforeMs ?? null, objectRef: objectRef ?? null },
      kept: JSON.stringify(kept),
    });
  search.exec('VACUUM');
};

/** What the store wrote itself is taken at its word: checking a leaf's spelling is the verifier's task. */
const leafOf = (leaf: Buffer): Leaf | { readonly kind: string } => JSON.parse(leaf.toString());

interface HourCount {
  readonly workspace: number;
  readonly hourMs: number;
  allow: number;
  pause: number;
  block: number;
  warned: number;
}

const HOUR_MS = 3_600_000;

const addToHour = (hours: Map<string, HourCount>, workspace: number, atMs: number, leaf: Leaf): void => {
  const hourMs = Math.floor(atMs / HOUR_MS) * HOUR_MS;
  const account = `${workspace} ${hourMs}`;
  const hour = hours.get(account) ?? { workspace, hourMs, allow: 0, pause: 0, block: 0, warned: 0 };
  hour[leaf.decision] += 1;
  if (leaf.evaluatedDecision !== leaf.decision) hour.warned += 1;
  hours.set(account, hour);
};

/** A step ends with the segment that reaches this: what a step holds in memory stays small. */
const RECORDS_A_STEP = 1_024;

/** Indexes up to a few segments' worth of what is pending; false when there was nothing. */
export const prepareIndexing = (main: Db, search: Db): (() => boolean) => {
  const readProgress = search.prepare('SELECT position FROM progress').pluck();
  const writeProgress = search.prepare('UPDATE progress SET position = ?');
  const pending = main.prepare(
    'SELECT position, count, body FROM segment WHERE position >= ? ORDER BY position',
  );
  const findWorkspace = search.prepare('SELECT number FROM workspace WHERE id = ?').pluck();
  const addWorkspace = search.prepare('INSERT INTO workspace (id) VALUES (?)');
  const insert = search.prepare(
    'INSERT INTO decision VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const count = search.prepare(
    `INSERT INTO daily VALUES (?, ?, ?, ?) ON CONFLICT (workspace, day, key_id) DO UPDATE SET checks = checks + excluded.checks`,
  );
  const countHour = search.prepare(
    `INSERT INTO hourly VALUES (@workspace, @hourMs, @allow, @pause, @block, @warned)
     ON CONFLICT (workspace, hour_ms) DO UPDATE SET allow = allow + excluded.allow, pause = pause + excluded.pause,
       block = block + excluded.block, warned = warned + excluded.warned`,
  );
  const numberOf = (workspace: string, known: Map<string, number>): number => {
    const before = known.get(workspace);
    if (before !== undefined) return before;
    const number =
      (findWorkspace.get(workspace) as number | undefined) ??
      Number(addWorkspace.run(workspace).lastInsertRowid);
    known.set(workspace, number);
    return number;
  };

  const step = search.transaction((): boolean => {
    const from = readProgress.get() as number;
    let next = from;
    const daily = new Map<string, [number, string, string, number]>();
    const hourly = new Map<string, HourCount>();
    // INVARIANT: of this step alone, since a step that fails takes back what it added.
    const numbers = new Map<string, number>();
    for (const row of pending.iterate(from)) {
      const segment = row as StoredSegment;
      const { position } = segment;
      next = position + segment.count;
      useSegment(segment, (entries) => {
        for (const [i, { record, leaf }] of entries.entries()) {
          // Nothing is left of what was pruned but its hash.
          if (leaf.length === 0) continue;
          const parsed = leafOf(leaf);
          // Entries that are no decisions have no place in a list of decisions.
          if ('kind' in parsed) continue;
          const workspace = numberOf(parsed.workspace, numbers);
          const atMs = Date.parse(parsed.timestamp);
          // Of a record only the intent is read here; the rest of what the index holds stands in the leaf.
          const intent = recordedIntent(record);
          insert.run(
            position + i,
            workspace,
            atMs,
            parsed.decision_id,
            parsed.audit_id,
            parsed.keyId,
            parsed.timestamp,
            parsed.decision,
            parsed.evaluatedDecision,
            parsed.reason_code,
            intent.system,
            intent.objectType ?? null,
            intent.objectRef ?? null,
            intent.field ?? null,
            intent.operation ?? null,
            intent.workflowId ?? null,
            intent.runId ?? null,
          );
          const day = parsed.timestamp.slice(0, 10);
          const account = `${workspace} ${day} ${parsed.keyId}`;
          const entry = daily.get(account);
          if (entry === undefined) daily.set(account, [workspace, day, parsed.keyId, 1]);
          else entry[3] += 1;
          addToHour(hourly, workspace, atMs, parsed);
        }
      });
      if (next - from >= RECORDS_A_STEP) break;
    }
    if (next === from) return false;
    for (const entry of daily.values()) count.run(...entry);
    for (const entry of hourly.values()) countHour.run(entry);
    writeProgress.run(next);
    return true;
  });
  return () => step.immediate();
};
