import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { describeStore } from '../../../test/store-contract/store-contract.ts';
import { newRequest, newWorkspace } from '../../../test/store-contract/store-contract-values.ts';
import { MIGRATIONS } from './schema.ts';
import { openSqliteStore } from './sqlite-store.ts';

describeStore('the SQLite store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'writecheck-store-'));
  return {
    open: () => openSqliteStore(folder),
    remove: () => rm(folder, { recursive: true }),
  };
});

test.each(MIGRATIONS.map((_, version) => version).slice(2))(
  'a database of version %i is brought up to date, and goes on',
  async (version) => {
    const folder = await mkdtemp(join(tmpdir(), 'writecheck-store-'));
    const { workspace, keys } = newWorkspace();
    const db = new Database(join(folder, 'writecheck.db'));
    for (const migration of MIGRATIONS.slice(0, version)) db.exec(migration);
    db.pragma(`user_version = ${version}`);
    db.prepare('INSERT INTO workspace (id, name, created_ms, live_granted) VALUES (?, ?, 1, 1)').run(
      workspace.id,
      workspace.name,
    );
    const insertKey = db.prepare(
      `INSERT INTO api_key (id, workspace, kind, name, hash, hint, created_ms) VALUES (?, ?, ?, ?, ?, '', 1)`,
    );
    for (const { id, kind, name, hash } of keys) insertKey.run(id, workspace.id, kind, name, hash);
    db.close();

    const store = await openSqliteStore(folder);
    expect((await store.listKeys(workspace.id)).map(({ rotatedAtMs }) => rotatedAtMs)).toEqual([null, null]);
    expect(await store.health()).toEqual({ kind: 'ok' });
    expect(await store.commit([newRequest(workspace.id)])).toHaveLength(1);
    await store.close();
    await rm(folder, { recursive: true });
  },
);

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
