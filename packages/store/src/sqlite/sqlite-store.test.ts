import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { erase } from '../../test/erase.ts';
import { describeStore } from '../../test/store-contract/store-contract.ts';
import { commitTo, newRequest, newWorkspace } from '../../test/store-contract/store-contract-values.ts';
import { STORED_BYTES_MAX } from '../../test/store-contract/store-contract-workspaces.ts';
import { openSqliteStore } from './sqlite-store.ts';

describeStore('the SQLite store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'writecheck-store-'));
  return {
    open: () => openSqliteStore(folder, STORED_BYTES_MAX),
    remove: () => rm(folder, { recursive: true }),
  };
});

test('a segment that cannot be indexed does not keep the write-ahead log out of the database', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'writecheck-store-'));
  const { workspace, keys } = newWorkspace();
  const before = await openSqliteStore(folder);
  await before.createWorkspace(workspace, keys);
  await commitTo(before, [newRequest(workspace.id), newRequest(workspace.id)]);
  await before.close();
  await rm(join(folder, 'search.db'));
  const db = new Database(join(folder, 'writecheck.db'));
  db.prepare('UPDATE segment SET body = ?').run(Buffer.alloc(4));
  db.close();

  const store = await openSqliteStore(folder);
  const grown = async (): Promise<number> => {
    await commitTo(store, [newRequest(workspace.id, { objectRef: 'x'.repeat(9_000) })]);
    return (await stat(join(folder, 'writecheck.db'))).size;
  };
  // More than once: the first time comes before the error.
  for (let times = 0; times < 3; times += 1) {
    const size = await grown();
    await expect.poll(grown).toBeGreaterThan(size);
  }
  await store.close();
  await rm(folder, { recursive: true });
});

test('commits continue while an erasure waits for a reader of the write-ahead log', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'writecheck-store-'));
  const { workspace, keys } = newWorkspace();
  const store = await openSqliteStore(folder);
  await store.createWorkspace(workspace, keys);
  await commitTo(store, [newRequest(workspace.id)]);
  const reader = new Database(join(folder, 'writecheck.db'), { readonly: true });
  reader.exec('BEGIN; SELECT count(*) FROM segment');
  let isErased = false;
  const erased = erase(store, { workspace: workspace.id, beforeMs: Date.now() }).then(() => {
    isErased = true;
  });
  for (let commits = 0; commits < 10; commits += 1) {
    const [outcome] = await commitTo(store, [newRequest(workspace.id)]);
    expect([outcome!.kind, isErased]).toEqual(['committed', false]);
  }
  reader.exec('COMMIT');
  await erased;
  reader.close();
  await store.close();
  await rm(folder, { recursive: true });
});

test('while a list waits for an index that is far behind, the store still returns its size', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'writecheck-store-'));
  const { workspace, keys } = newWorkspace();
  const before = await openSqliteStore(folder);
  await before.createWorkspace(workspace, keys);
  const group = Array.from({ length: 256 }, () => newRequest(workspace.id));
  for (let groups = 0; groups < 24; groups += 1) await commitTo(before, group);
  await before.close();
  for (const ending of ['', '-wal', '-shm']) await rm(join(folder, `search.db${ending}`), { force: true });
  const store = await openSqliteStore(folder);
  const order: string[] = [];
  const listed = store.listDecisions({ workspace: workspace.id, limit: 1 }).then(() => order.push('list'));
  const { diskFreeBytes } = await store.figures();
  order.push('figures');
  await listed;
  expect(diskFreeBytes).toBeGreaterThan(0);
  expect(order).toEqual(['figures', 'list']);
  await store.close();
  await rm(folder, { recursive: true });
});

test('a prune takes small steps and never rewrites the file, and erased data is overwritten', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'writecheck-store-'));
  const { workspace, keys } = newWorkspace();
  const store = await openSqliteStore(folder);
  await store.createWorkspace(workspace, keys);
  for (let commits = 0; commits < 40; commits += 1) {
    // Larger than a page, and not compressible: an overflow page that the prune frees.
    const objectRef = `canary-${randomBytes(4_000).toString('base64')}`;
    await commitTo(store, [newRequest(workspace.id, { objectRef, atMs: 1_000 + commits })]);
  }
  const held = async () => {
    const files = ['', '-wal'].map((ending) => join(folder, `writecheck.db${ending}`));
    const read = await Promise.all(files.map((file) => readFile(file).catch(() => Buffer.alloc(0))));
    return Buffer.concat(read).toString('latin1');
  };
  expect(await held()).toContain('canary-');
  let steps = 0;
  await erase(store, { beforeMs: 2_000 }, () => {
    steps += 1;
  });
  expect(steps).toBeGreaterThanOrEqual(5);
  const { ino } = await stat(join(folder, 'writecheck.db'));
  await store.close();
  const db = new Database(join(folder, 'writecheck.db'));
  expect(db.pragma('freelist_count', { simple: true })).toBeGreaterThan(20);
  db.close();
  expect((await stat(join(folder, 'writecheck.db'))).ino).toBe(ino);
  expect(await held()).not.toContain('canary-');
  await rm(folder, { recursive: true });
});
