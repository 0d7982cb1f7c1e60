import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { describeStore } from '../../../test/store-contract/store-contract.ts';
import { newRequest, newWorkspace } from '../../../test/store-contract/store-contract-values.ts';
import { openSqliteStore } from './sqlite-store.ts';

describeStore('the SQLite store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'writecheck-store-'));
  return {
    open: () => openSqliteStore(folder),
    remove: () => rm(folder, { recursive: true }),
  };
});

test('a database of the version before is brought up to date, and goes on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'writecheck-store-'));
  const { workspace, keys } = newWorkspace();
  const before = await openSqliteStore(folder);
  await before.createWorkspace(workspace, keys);
  await before.close();
  const db = new Database(join(folder, 'writecheck.db'));
  db.exec(`ALTER TABLE api_key DROP COLUMN rotated_ms; ALTER TABLE api_key DROP COLUMN rotated_from; DROP TABLE review; DROP TABLE review_tag;
    DROP TABLE person; DROP TABLE credential; DROP TABLE session; DROP TABLE one_time;
    ALTER TABLE api_key DROP COLUMN held_by; ALTER TABLE api_key DROP COLUMN made_by; ALTER TABLE policy DROP COLUMN author_person;
    DROP TABLE impact_run; DROP TABLE assessment; DROP TABLE pruned_day;
    DROP TABLE webhook; DROP TABLE webhook_delivery; ALTER TABLE policy DROP COLUMN loosens;
    PRAGMA application_id = 0; PRAGMA user_version = 2`);
  db.close();
  const store = await openSqliteStore(folder);
  expect((await store.listKeys(workspace.id)).map(({ rotatedAtMs }) => rotatedAtMs)).toEqual([null, null]);
  expect(await store.health()).toEqual({ kind: 'ok' });
  await store.close();
  await rm(folder, { recursive: true });
});

test('a segment that cannot be indexed does not keep the write-ahead log from being moved into the database', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'writecheck-store-'));
  const { workspace, keys } = newWorkspace();
  const before = await openSqliteStore(folder);
  await before.createWorkspace(workspace, keys);
  await before.commit([newRequest(workspace.id), newRequest(workspace.id)]);
  await before.close();
  await rm(join(folder, 'search.db'));
  const db = new Database(join(folder, 'writecheck.db'));
  db.prepare('UPDATE segment SET body = ?').run(Buffer.alloc(4));
  db.close();

  const store = await openSqliteStore(folder);
  const grown = async (): Promise<number> => {
    await store.commit([newRequest(workspace.id, { objectRef: 'x'.repeat(9_000) })]);
    return (await stat(join(folder, 'writecheck.db'))).size;
  };
  // More than once: the first time is before the error occurs.
  for (let times = 0; times < 3; times += 1) {
    const size = await grown();
    await expect.poll(grown, { timeout: 6_000, interval: 50 }).toBeGreaterThan(size);
  }
  await store.close();
  await rm(folder, { recursive: true });
});
