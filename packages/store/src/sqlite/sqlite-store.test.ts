import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { describeStore } from '../../test/store-contract/store-contract.ts';
import { newRequest, newWorkspace } from '../../test/store-contract/store-contract-values.ts';
import { openSqliteStore } from './sqlite-store.ts';

describeStore('the SQLite store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'writecheck-store-'));
  return {
    open: () => openSqliteStore(folder),
    remove: () => rm(folder, { recursive: true }),
  };
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
