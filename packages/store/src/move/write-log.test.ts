import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { sha256 } from '../sha256.ts';
import { createDatabase, databasePath } from '../sqlite/open-database.ts';
import { openSession } from './session.ts';
import { type ArrivingEntry, ArrivingLog } from './write-log.ts';

const LOG = 'log-0123456789abcdef';

function hidden(text: string): ArrivingEntry {
  return { hash: sha256(Buffer.from(text)), leaf: new Uint8Array(), record: new Uint8Array(), atMs: null };
}

async function arrive(folder: string, entries: readonly ArrivingEntry[]): Promise<void> {
  const session = await openSession({ kind: 'sqlite', folder, archive: null }, 'writing');
  const log = await ArrivingLog.open(session, LOG);
  for (const entry of entries) await log.add(entry);
  await log.finish();
  await session.commit();
  await session.close();
}

test('a later move that shows hidden entries of a log does not set its time back for the move after that', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-move-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  createDatabase(folder).close();
  const [first, second] = [hidden('a'), hidden('b')];
  await arrive(folder, [first]);
  await arrive(folder, [{ ...first, leaf: Buffer.from('{}'), record: Buffer.from('{}'), atMs: 5_000 }]);
  await arrive(folder, [first, second]);
  const db = new Database(databasePath(folder), { readonly: true });
  onTestFinished(() => void db.close());
  const horizons = db.prepare('SELECT latest_ms FROM segment WHERE log = ? ORDER BY position').pluck();
  expect(horizons.all(LOG)).toEqual([5_000, 5_000]);
  expect(db.prepare('SELECT newest_ms FROM log WHERE log = ?').pluck().get(LOG)).toBe(5_000);
});
